const AFTER_MS = 1_000;
const STEP_MS = 100;
const WIDTH = 20;

/** Shows a moving bar on a terminal if work takes longer than a second. */
export async function withProgress<T>(label: string, work: () => Promise<T>): Promise<T> {
  const { stderr } = process;
  if (!stderr.isTTY) return work();
  const start = Date.now();
  const timer = setInterval(() => {
    const passed = Date.now() - start;
    if (passed >= AFTER_MS) stderr.write(`\r${barAt(passed)} ${label} ${(passed / 1000).toFixed(0)} s`);
  }, STEP_MS);
  try {
    return await work();
  } finally {
    clearInterval(timer);
    if (Date.now() - start >= AFTER_MS) stderr.write('\r\x1b[2K');
  }
}

/** The duration is unknown, so the bar moves to and fro. */
function barAt(passed: number): string {
  const step = Math.floor(passed / STEP_MS) % (2 * WIDTH);
  const place = step < WIDTH ? step : 2 * WIDTH - 1 - step;
  return `[${' '.repeat(place)}=${' '.repeat(WIDTH - 1 - place)}]`;
}

/** Shows the current step on one line of a terminal; each step overwrites it. */
export async function withLine<T>(work: (say: (text: string) => void) => Promise<T>): Promise<T> {
  const { stderr } = process;
  if (!stderr.isTTY) return work(() => {});
  const clear = () => stderr.write('\r\x1b[2K');
  try {
    return await work((text) => {
      clear();
      stderr.write(text.replaceAll(/\p{Cc}/gu, ' ').slice(0, (stderr.columns || 80) - 1));
    });
  } finally {
    clear();
  }
}

/** Shows a bar of finished steps on a terminal. */
export async function withSteps<T>(
  label: string,
  total: number,
  work: (step: () => void) => Promise<T>,
): Promise<T> {
  const { stderr } = process;
  if (!stderr.isTTY || total === 0) return work(() => {});
  let done = 0;
  const draw = () => stderr.write(`\r${stepBar(done, total)} ${done}/${total} ${label}`);
  draw();
  try {
    return await work(() => {
      done += 1;
      draw();
    });
  } finally {
    stderr.write('\r\x1b[2K');
  }
}

function stepBar(done: number, total: number): string {
  const filled = Math.floor((WIDTH * done) / total);
  return `[${'='.repeat(filled)}${' '.repeat(WIDTH - filled)}]`;
}
