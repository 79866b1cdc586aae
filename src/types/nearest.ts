/** Returns the known name closest to a mistyped one, or null if none is close. `nearestName('tols', ['tools'])` is `tools`. */
export function nearestName(name: string, known: readonly string[]): string | null {
  const wanted = name.slice(0, 64).toLowerCase();
  const limit = Math.floor(wanted.length / 3);
  let best: string | null = null;
  let bestDistance = limit + 1;
  for (const candidate of known) {
    const other = candidate.slice(0, 64).toLowerCase();
    if (Math.abs(wanted.length - other.length) >= bestDistance) continue;
    const distance = editDistance(wanted, other);
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Asks in a message whether a mistyped name means the known one that is closest; `otherwise` if none is close. */
export function suggestName(name: string, known: readonly string[], otherwise: string): string {
  const near = nearestName(name, known);
  return near === null ? otherwise : `Did you mean ${near}?`;
}

/** Counts insertions, deletions, replacements and swapped neighbours between two texts. */
function editDistance(left: string, right: string): number {
  let before: number[] = [];
  let row = Array.from({ length: right.length + 1 }, (_, index) => index);
  for (let i = 1; i <= left.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= right.length; j += 1) {
      const same = left[i - 1] === right[j - 1];
      const swapped = i > 1 && j > 1 && left[i - 1] === right[j - 2] && left[i - 2] === right[j - 1];
      next[j] = Math.min(
        (row[j] ?? 0) + 1,
        (next[j - 1] ?? 0) + 1,
        (row[j - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY,
      );
    }
    [before, row] = [row, next];
  }
  return row[right.length] ?? 0;
}
