import { describe, expect, it } from 'vitest';
import { answerOf, callerOf, read } from '../fixture.ts';
import type { Subject } from './subject.ts';

const SEEN = `SELECT get_user_external_token() AS token, get_username() AS username, get_user_provider() AS provider,
    get_user_email() AS email, get_request_header('X-Number') AS number, get_request_header('user-AGENT') AS agent,
    get_request_header('absent') AS absent, get_request_headers_json() AS headers`;

/** The user functions, each caller its own. */
export function describeCallers(subject: Subject): void {
  describe('callers', () => {
    // Requirements: sql.get_request_header, sql.get_request_headers_json, sql.get_user_email
    // Requirements: sql.get_user_external_token, sql.get_user_provider, sql.get_username
    it('are told apart, 50 at a time', async () => {
      const rounds = Array.from({ length: 200 }, (_, index) => index % 50);
      const seen = await Promise.all(
        rounds.map(
          async (index) => (await read(subject.database, SEEN, [], { caller: callerOf(index) })).rows[0],
        ),
      );
      expect(seen).toEqual(
        rounds.map((index) => {
          const { externalToken, username, provider, email, headers } = callerOf(index);
          return {
            token: externalToken,
            username,
            provider,
            email,
            number: String(index),
            agent: headers?.get('user-agent'),
            absent: null,
            headers: JSON.stringify(Object.fromEntries(headers ?? [])),
          };
        }),
      );
    });

    // Requirements: sql.get_user_email, sql.get_user_external_token, sql.get_user_provider, sql.get_username
    it('are compared in conditions, each fact with itself', async () => {
      const { username, email, provider, externalToken } = callerOf(3);
      const sql = `SELECT id FROM items WHERE id = 0 AND get_username() = $1 AND get_user_email() = $2
      AND get_user_provider() = $3 AND get_user_external_token() = $4`;
      const values = [username, email, provider, externalToken];
      const { rows } = await read(subject.database, sql, values, { caller: callerOf(3) });
      expect(rows).toEqual([{ id: 0 }]);
    });

    it('are told apart in views, conditions and rows', async () => {
      const rounds = Array.from({ length: 100 }, (_, index) => index % 50);
      const sql = `SELECT owner, n, (SELECT count(*) FROM items WHERE owner = get_username() || '') AS same,
      (SELECT count(DISTINCT get_request_header('x-' || left('number', id + 6))) FROM items WHERE id < 3) AS headers FROM mine`;
      const seen = await Promise.all(
        rounds.map(
          async (index) => (await read(subject.database, sql, [], { caller: callerOf(index) })).rows[0],
        ),
      );
      expect(seen).toEqual(rounds.map((index) => ({ owner: `user ${index}`, n: 40, same: 40, headers: 1 })));
    });

    // Requirements: sql.null
    it('without authentication are NULL', async () => {
      const { rows } = await read(subject.database, SEEN);
      expect(new Set(Object.values(rows[0] ?? {}))).toEqual(new Set([null]));
      expect((await read(subject.database, 'FROM mine')).rows).toEqual([{ n: 0, owner: null }]);
    });

    it('without headers have NULL for them', async () => {
      const { rows } = await read(subject.database, SEEN, [], { caller: { ...callerOf(1), headers: null } });
      expect(rows[0]).toMatchObject({ username: 'user 1', number: null, headers: null });
    });

    it('are text, whatever they are', async () => {
      const { rows, columns } = await read(subject.database, `${SEEN}, get_request_header(NULL) AS none`);
      expect(new Set(columns.map(({ type }) => type))).toEqual(new Set(['VARCHAR']));
      expect(rows[0]?.none).toBeNull();
      const odd = "Robert'); DROP TABLE items; -- \u0000";
      const caller = { ...callerOf(1), username: odd };
      expect(await answerOf(subject.database, 'get_username()', [], { caller })).toBe(odd);
    });
    it('get each its own answer, 50 at once', async () => {
      const ids = Array.from({ length: 50 }, (_, index) => index * 7);
      const names = await Promise.all(
        ids.map((id) => answerOf(subject.database, 'name FROM items WHERE id = $1', [BigInt(id)])),
      );
      expect(names).toEqual(ids.map((id) => `item ${id}`));
    });
  });
}
