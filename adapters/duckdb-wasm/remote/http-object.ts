import { messageOf, SvcError } from '../../../src/errors.ts';
import { ObjectReplaced } from '../engine/database-file.ts';
import type { RangeSource } from './remote-file.ts';

/** The time after which a request has failed, in milliseconds. */
const REQUEST_MS = 10_000;

/** Sends a request for an object, signed if its store wants that. */
export type SendFor = (
  method: 'GET' | 'HEAD',
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
) => Promise<Response>;

/** An object that an artefact expects behind HTTP. */
export interface HttpObject {
  /** The address for messages, without credentials. */
  readonly name: string;
  readonly bytes: number;
  readonly send: SendFor;
}

/** Opens the version of an object that is there now. Throws `database_unavailable` if it is missing or another file. */
export async function openHttpObject({ name, bytes, send }: HttpObject): Promise<RangeSource> {
  const request = (method: 'GET' | 'HEAD', headers: Readonly<Record<string, string>>): Promise<Response> =>
    send(method, { 'accept-encoding': 'identity', ...headers }, AbortSignal.timeout(REQUEST_MS));
  const found = await request('HEAD', {}).catch((cause: unknown) => {
    throw cause instanceof SvcError ? cause : unreachable(name, cause);
  });
  if (found.status === 401 || found.status === 403) {
    throw unavailable(
      `${name} has the status ${found.status}`,
      `Check that the credentials may read it. ${UPLOAD}`,
    );
  }
  if (!found.ok) throw unavailable(`${name} has the status ${found.status}`, UPLOAD);
  const size = Number(found.headers.get('content-length') ?? bytes);
  if (size !== bytes) throw unavailable(`${name} has ${size} bytes, but the database has ${bytes}`, UPLOAD);
  const etag = found.headers.get('etag') ?? '';
  // A weak one matches no condition. The digests of the blocks find another version too.
  const condition: Record<string, string> = etag.startsWith('"') ? { 'if-match': etag } : {};
  const read = async (offset: number, length: number): Promise<Uint8Array<ArrayBuffer>> => {
    const part = await request('GET', { range: `bytes=${offset}-${offset + length - 1}`, ...condition });
    if (part.status === 206) return new Uint8Array(await part.arrayBuffer());
    await part.body?.cancel();
    if (part.status === 412) throw new ObjectReplaced(`${name} has no version ${etag} any more`);
    if (part.status === 200) throw new Error('the server answers the whole file, so it knows no ranges');
    throw new Error(`the status is ${part.status}`);
  };
  return { name, size, read };
}

const UPLOAD = 'Upload upload/data.duckdb of this artefact there, as its README.md says.';

function unavailable(problem: string, fix: string, cause?: unknown): SvcError {
  return new SvcError('database_unavailable', `The database ${problem}. ${fix}`, { cause });
}

/** The text of `fetch` says only that it failed. */
function unreachable(name: string, thrown: unknown): SvcError {
  const { cause = thrown } = thrown instanceof Error ? thrown : {};
  const reason = messageOf(cause) || messageOf(thrown);
  return unavailable(`${name} cannot be reached: ${reason}`, 'Check the address and the network.', thrown);
}
