import { SvcError } from '../../../src/errors.ts';
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
    throw unavailable(`${name} cannot be reached`, cause);
  });
  if (!found.ok) throw unavailable(`${name} has the status ${found.status}`);
  const size = Number(found.headers.get('content-length') ?? bytes);
  if (size !== bytes) throw unavailable(`${name} has ${size} bytes, but the database has ${bytes}`);
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

function unavailable(problem: string, cause?: unknown): SvcError {
  return new SvcError(
    'database_unavailable',
    `The database ${problem}. Upload upload/data.duckdb of this artefact there, as its README.md says.`,
    { cause },
  );
}
