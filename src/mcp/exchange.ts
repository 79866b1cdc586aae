import type { JsonValue } from '../json.ts';
import type { Caller } from './caller.ts';
import type { Channel } from './channel.ts';
import type { Era } from './era.ts';
import type { Reply } from './reply.ts';
import type { Sessions } from './sessions.ts';

/** One POST on its way to an answer. */
export interface Exchange {
  readonly headers: Headers;
  readonly body: JsonValue;
  readonly caller: Caller;
  readonly reply: Reply;
  /** Null: nothing is kept about clients. */
  readonly sessions: Sessions | null;
  readonly channels: { readonly [E in Era]: Channel };
}
