/** The seed of one part of a run. Runs with neighbouring seeds have no part in common. */
export function seedOfPart(seed: number, part: number): number {
  return seed + part * 1_000_003;
}
