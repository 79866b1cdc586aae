const random = new Uint8Array(10 * 256);
let used = random.length;

/** Creates a UUID of version 7 (RFC 9562). Ids sort by the millisecond of their creation. */
export function createRecordId(now: number): string {
  if (used >= random.length) {
    crypto.getRandomValues(random);
    used = 0;
  }
  const time = Math.trunc(now).toString(16).padStart(12, '0').slice(-12);
  let tail = '';
  for (let index = 0; index < 10; index += 1) {
    const byte = random[used + index] ?? 0;
    // The first byte holds the version, the third the variant.
    const value = index === 0 ? 0x70 | (byte & 0x0f) : index === 2 ? 0x80 | (byte & 0x3f) : byte;
    tail += (value + 0x100).toString(16).slice(1);
  }
  used += 10;
  return `${time.slice(0, 8)}-${time.slice(8)}-${tail.slice(0, 4)}-${tail.slice(4, 8)}-${tail.slice(8)}`;
}
