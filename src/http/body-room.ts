import type { User } from '../context.ts';
import { busyError } from '../errors.ts';
import { clientOf } from './rate-limit.ts';

/** A body of at most so many characters needs no room, so that large ones keep no other request waiting. */
export const SMALL_BODY = 4 * 1024;
const MOST_OF_CLIENT = 4 * 1024 * 1024;
const MOST = 16 * 1024 * 1024;

/** Gives back the room of a body. A second call does nothing. */
export type Leave = () => void;

/** Takes room for a body of so many characters until its request is answered. Throws busy if there is none. */
export type TakeRoom = (user: User | null, address: string | undefined, length: number) => Leave;

/**
 * Creates room for the bodies of running requests. A call keeps its arguments until it is answered, as values here and in
 * the engine, which take many times the memory of their text: a few hundred slow calls of one client could end the server.
 */
export function createBodyRoom(): TakeRoom {
  const ofClients = new Map<string | null, number>();
  let all = 0;
  return (user, address, length) => {
    if (length <= SMALL_BODY) return () => {};
    const client = clientOf(user, address);
    const own = (ofClients.get(client) ?? 0) + length;
    if ((client !== null && own > MOST_OF_CLIENT) || all + length > MOST) {
      throw busyError('Too many large requests run', { detail: { retry_after: 1 } });
    }
    ofClients.set(client, own);
    all += length;
    let holds = true;
    return () => {
      if (!holds) return;
      holds = false;
      all -= length;
      const left = (ofClients.get(client) ?? 0) - length;
      if (left === 0) ofClients.delete(client);
      else ofClients.set(client, left);
    };
  };
}
