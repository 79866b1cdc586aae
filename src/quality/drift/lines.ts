/** The number of unchanged lines shown around a difference. */
const AROUND = 2;
/** The largest comparison; beyond it, the common lines of two texts take too long to find. */
const MOST_CELLS = 4_000_000;

/** Returns the lines in which two texts differ: `- ` removed, `+ ` added, `  ` unchanged lines around them. */
export function toLineDiff(before: string, after: string): readonly string[] {
  const [was, is] = [before.split('\n'), after.split('\n')];
  const all =
    was.length * is.length > MOST_CELLS ? [...marked('- ', was), ...marked('+ ', is)] : merge(was, is);
  const near = all.map((_, index) =>
    all.slice(Math.max(0, index - AROUND), index + AROUND + 1).some((line) => !line.startsWith('  ')),
  );
  return all.flatMap((line, index) => {
    if (near[index]) return [line];
    return near[index - 1] ? ['  …'] : [];
  });
}

function marked(mark: string, lines: readonly string[]): readonly string[] {
  return lines.map((line) => `${mark}${line}`);
}

/** Walks both texts along their longest common sequence of lines. */
function merge(was: readonly string[], is: readonly string[]): readonly string[] {
  const shared = sharedFrom(was, is);
  const lines: string[] = [];
  let [left, right] = [0, 0];
  while (left < was.length || right < is.length) {
    const same = left < was.length && right < is.length && was[left] === is[right];
    const drop = right >= is.length || (shared[left + 1]?.[right] ?? 0) >= (shared[left]?.[right + 1] ?? 0);
    if (same) lines.push(`  ${was[left]}`);
    else if (left < was.length && drop) lines.push(`- ${was[left]}`);
    else lines.push(`+ ${is[right]}`);
    if (same || (left < was.length && drop)) left += 1;
    if (same || lines.at(-1)?.startsWith('+ ')) right += 1;
  }
  return lines;
}

/** The number of common lines from each pair of positions to the ends of both texts. */
function sharedFrom(was: readonly string[], is: readonly string[]): readonly Uint32Array[] {
  const shared = Array.from({ length: was.length + 1 }, () => new Uint32Array(is.length + 1));
  for (let left = was.length - 1; left >= 0; left -= 1) {
    for (let right = is.length - 1; right >= 0; right -= 1) {
      const [here, below] = [shared[left], shared[left + 1]];
      if (here === undefined || below === undefined) continue;
      here[right] =
        was[left] === is[right]
          ? (below[right + 1] ?? 0) + 1
          : Math.max(below[right] ?? 0, here[right + 1] ?? 0);
    }
  }
  return shared;
}
