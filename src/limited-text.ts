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
  const chunks: Uint8Array[] = [];
  let received = 0;
  // An early exit from the loop cancels the body.
  for await (const chunk of body ?? []) {
    received += chunk.byteLength;
    if (received > limit) return null;
    chunks.push(chunk);
  }
  const bytes = new Uint8Array(received);
  let start = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, start);
    start += chunk.byteLength;
  }
  return bytes;
}
