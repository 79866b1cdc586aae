import { SvcError } from '../../../src/errors.ts';
import type { SqlCaller } from '../../../src/ports.ts';
import { CALLER_CALLS, standInError } from '../../../src/sql/stand-ins.ts';
import type { EngineStep } from '../engine/steps.ts';
import type { Session } from './session.ts';

const MARK = 'nobody but the caller';

const MARKED: SqlCaller = {
  externalToken: MARK,
  username: MARK,
  provider: MARK,
  email: MARK,
  headers: new Map([['any', MARK]]),
};

/** Calls each user function as a marked caller; another answer means that the database has a function of that name. */
export function* checkStandIns(
  session: Session,
  actAs: (caller: SqlCaller | null) => void,
): EngineStep<void> {
  actAs(MARKED);
  try {
    for (const [name, answer] of Object.entries(yield* answersOf(session)))
      if (typeof answer !== 'string' || !answer.includes(MARK)) throw standInError(name, 'project_invalid');
  } finally {
    actAs(null);
  }
}

function* answersOf(session: Session): EngineStep<Readonly<Record<string, unknown>>> {
  const calls = Object.entries(CALLER_CALLS).map(([name, call]) => `${call} AS ${name}`);
  try {
    return (yield* session.query(`SELECT ${calls}`)).rows[0] ?? {};
  } catch (thrown) {
    if (!(thrown instanceof SvcError) || thrown.code !== 'sql_failed') throw thrown;
    // The database has a function with other arguments. The first line of the error names it.
    const [said = ''] = thrown.message.split('\n');
    const name = Object.keys(CALLER_CALLS).find((candidate) => said.includes(candidate)) ?? 'get_username';
    throw standInError(name, 'project_invalid');
  }
}
