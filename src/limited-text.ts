const lenient = new TextDecoder();

/** Decodes UTF-8, without a byte order mark at the start. Throws for other bytes. */
export const strictUtf8 = new TextDecoder('utf-8', { fatal: true });

/** Reads a body as text; null if it has more bytes than the limit. */
export async function readAtMost(body: Body, limit: number): Promise<string | null> {
  const bytes = await readBytesAtMost(body, limit);
  return bytes === null ? null : lenient.decode(bytes);
}

/** Reads the bytes of a body. Returns null, and reads no further, if there are more than the limit. */
export async function readBytesAtMost({ body }: Body, limit: number): Promise<Uint8Array | null> {
  let bytes = new Uint8Array(0);
  let received = 0;
  // An early exit from the loop cancels the body.
  for await (const chunk of body ?? []) {
    const length = received + chunk.byteLength;
    if (length > limit) return null;
    // Copied at once: a piece of one byte takes hundreds of bytes of memory.
    if (length > bytes.length) bytes = enlarge(bytes, Math.max(length, Math.min(2 * bytes.length, limit)));
    bytes.set(chunk, received);
    received = length;
  }
  return bytes.subarray(0, received);
}

function enlarge(bytes: Uint8Array, size: number): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(size);
  larger.set(bytes);
  return larger;
}
