/** A line of a stream; null for a line that was longer than the limit. */
export type Line = string | null;

/** Creates a function that splits chunks into lines and keeps at most `limit` bytes of an unfinished line. */
export function createLineReader(limit: number): (chunk: Buffer) => Line[] {
  let parts: Buffer[] = [];
  let length = 0;
  const keep = (part: Buffer): void => {
    length += part.length;
    if (length > limit) parts = [];
    else parts.push(part);
  };
  const take = (): Line => {
    const line = length > limit ? null : Buffer.concat(parts).toString('utf8');
    parts = [];
    length = 0;
    return line;
  };
  return (chunk) => {
    const lines: Line[] = [];
    let start = 0;
    for (let end = chunk.indexOf(10); end !== -1; end = chunk.indexOf(10, start)) {
      keep(chunk.subarray(start, end));
      lines.push(take());
      start = end + 1;
    }
    keep(chunk.subarray(start));
    return lines;
  };
}
