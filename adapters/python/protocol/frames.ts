import type { Readable, Writable } from 'node:stream';
import { SvcError } from '../../../src/errors.ts';

const HEADER = 4;
/** The maximum size of a frame in bytes: more than any endpoint may return. */
export const MAX_FRAME = 256 * 1024 * 1024;

/** Writes a text as a frame: its length in bytes as 32 bits, big-endian, then its UTF-8. */
export function writeFrame(stream: Writable, text: string): void {
  const size = Buffer.byteLength(text);
  const frame = Buffer.allocUnsafe(HEADER + size);
  frame.writeUInt32BE(size);
  frame.write(text, HEADER);
  stream.write(frame);
}

/** The callbacks of a frame reader. */
export interface FrameReader {
  readonly onFrame: (text: string) => void;
  /** Called for a frame above `MAX_FRAME`. Reading has ended. */
  readonly onTooLarge: (bytes: number) => void;
}

/** Reads frames from a stream. */
export function readFrames(stream: Readable, { onFrame, onTooLarge }: FrameReader): void {
  let chunks: Buffer[] = [];
  let have = 0;
  let need = HEADER;
  const take = (): Buffer => {
    const [first] = chunks;
    const whole = chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks, have);
    const taken = whole.subarray(0, need);
    have -= need;
    chunks = have === 0 ? [] : [whole.subarray(need)];
    return taken;
  };
  let inHeader = true;
  stream.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    have += chunk.length;
    while (have >= need) {
      const part = take();
      if (inHeader) need = part.readUInt32BE();
      else {
        onFrame(part.toString('utf8'));
        need = HEADER;
      }
      inHeader = !inHeader;
      if (need <= MAX_FRAME) continue;
      stream.destroy();
      onTooLarge(need);
      return;
    }
  });
}

/** Creates the error for a result above `MAX_FRAME`. */
export function tooLarge(): SvcError {
  return new SvcError('result_too_large', `The function returned more than ${MAX_FRAME / 1024 / 1024} MiB.`);
}
