import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { NativeDatabase } from '../../adapters/duckdb-native/query/database.ts';
import { write } from '../engine/fixture.ts';
import { type Home, LAKE, type Lake, POSTGRES, serve, startLake } from './lake.ts';

/* A reload of a server whose database servers take other credentials. */

const SLOW = 180_000;
const PLANTED = /planted/;

let lake: Lake;
let admin: NativeDatabase;

beforeAll(async () => {
  lake = await startLake();
  admin = await lake.open({ ...POSTGRES, readonly: false });
  await write(admin, 'CREATE TABLE public.plain AS SELECT i AS id FROM range(1000) t(i)');
  const writer = await lake.open({ ...LAKE, readonly: false });
  await write(writer, 'CREATE TABLE plain AS SELECT i AS id FROM range(1000) t(i)');
  await writer.close();
}, SLOW);
afterAll(async () => {
  await admin?.close();
  await lake?.stop();
}, SLOW);

/** Runs a statement in Postgres itself. */
const administer = (sql: string) =>
  write(admin, `CALL postgres_execute('lake', '${sql.replaceAll("'", "''")}')`);

/** The usual secrets, with other parameters of Postgres. */
const secretsWith = (more: { readonly user: string; readonly password: string }) =>
  lake
    .secrets()
    .map((one) => (one.type === 'postgres' ? { ...one, parameters: { ...one.parameters, ...more } } : one));

const TOTAL = `svc: 1
tool:
  name: total
  description: The total.
  source: { code: SELECT count(*) AS n FROM plain }
`;
/** The project's own database is a file that is open for writing, so both sides of a reload share one engine. */
const FILE = { path: 'own.duckdb', readonly: false };

describe('a reload', () => {
  it.each([
    ['its tables', 'ann', POSTGRES, false],
    ['its tables, beside a file open for writing', 'ben', POSTGRES, true],
    ['a DuckLake', 'cat', LAKE, false],
    ['a DuckLake, beside a file open for writing', 'dan', LAKE, true],
  ] as const)(
    'reaches a Postgres server with changed credentials, for %s; one with wrong credentials changes nothing',
    async (_, clerk, home: Home, beside) => {
      await administer(`CREATE ROLE ${clerk} LOGIN SUPERUSER PASSWORD 'planted-first'`);
      await administer(`CREATE ROLE next_${clerk} LOGIN SUPERUSER PASSWORD 'planted-first'`);
      const [user, password] = [join(lake.root, `${clerk}-user`), join(lake.root, `${clerk}-password`)];
      writeFileSync(user, clerk);
      writeFileSync(password, 'planted-first');
      const secrets = secretsWith({ user: `file://${user}`, password: `file://${password}` });
      const database = { ...FILE, attach: [{ name: 'lake', ...home }], use: 'lake' };
      const { server, call } = await serve(
        lake.project(home, {
          tools: { total: TOTAL },
          profile: beside ? { database } : {},
          secrets,
        }),
      );
      const reload = async (result: RegExp) => {
        server.stderr = '';
        server.child.kill('SIGHUP');
        await server.until(result, 'stderr');
      };
      const disconnect = (role: string) =>
        administer(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`);
      expect(await call()).toContain('1000');

      writeFileSync(password, 'planted-wrong');
      await reload(
        /the reload failed, the old values stay: .*lake cannot be reached: .*password authentication failed/,
      );
      expect(await call()).toContain('1000');
      // Calls that connect again still use the old password.
      await disconnect(clerk);
      await expect.poll(() => call()).toContain('1000');

      // The old credentials are valid and in use, and the next ones are used from the reload on, by every call.
      writeFileSync(user, `next_${clerk}`);
      writeFileSync(password, 'planted-first');
      const answers = Array.from({ length: 8 }, () => call());
      await reload(/"?reloaded"?/);
      answers.push(...Array.from({ length: 8 }, () => call()));
      for (const answer of await Promise.all(answers)) expect(answer).toContain('1000');
      await administer(`ALTER ROLE ${clerk} NOLOGIN`);
      await disconnect(clerk);
      expect(await call()).toContain('1000');
      expect(server.stderr + server.stdout).not.toMatch(PLANTED);
    },
    SLOW,
  );

  it(
    'serves again after the password expired',
    async () => {
      const password = join(lake.root, 'password');
      await administer("CREATE ROLE expired LOGIN SUPERUSER PASSWORD 'planted-first'");
      writeFileSync(password, 'planted-first');
      const secrets = secretsWith({ user: 'expired', password: `file://${password}` });
      const { server, call } = await serve(lake.project(POSTGRES, { tools: { total: TOTAL }, secrets }));
      expect(await call()).toContain('1000');
      await administer("ALTER ROLE expired PASSWORD 'planted-second'");
      await administer("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = 'expired'");
      expect(await call()).toContain('The database is not available.');
      await server.until(/password authentication failed/, 'stderr');
      writeFileSync(password, 'planted-second');
      server.child.kill('SIGHUP');
      await server.until(/"?reloaded"?/, 'stderr');
      expect(await call()).toContain('1000');
      expect(server.stderr + server.stdout).not.toMatch(PLANTED);
    },
    SLOW,
  );
});
