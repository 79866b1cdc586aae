/** Reads a body as text; null if it has more bytes. No more than the limit are ever in memory. */
export async function readAtMost({ body }: Body, limit: number): Promise<string | null> {
  const decoder = new TextDecoder();
  let text = '';
  let received = 0;
  // An early exit from the loop cancels the body.
  for await (const chunk of body ?? []) {
    received += chunk.byteLength;
    if (received > limit) return null;
    text += decoder.decode(chunk, { stream: true });
  }
  return text + decoder.decode();
}
