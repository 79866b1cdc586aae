import { oneLine } from '../../src/one-line.ts';

const AFTER_MS = 1_000;
const STEP_MS = 100;
const WIDTH = 20;

/** Names the step at hand, and how many of all steps are done if that is known. */
export type Say = (text: string, done?: number, total?: number) => void;

/** A line on a terminal that shows what a command does. It appears after a second and is erased at the end. */
interface ProgressLine {
  /** Shows the line while work runs. Work inside other work has the line until it ends. */
  during<T>(label: string, work: (say: Say) => Promise<T>): Promise<T>;
  /** Removes the line, because something else is about to be written. It comes back with the next step. */
  clear(): void;
}

/** The parts of a stream that the line needs. */
type ProgressStream = Pick<NodeJS.WriteStream, 'isTTY' | 'columns' | 'write'>;

const NOTHING: ProgressLine = {
  during: (_, work) => work(() => {}),
  clear: () => {},
};

interface Step {
  readonly text: string;
  readonly done?: number | undefined;
  readonly total?: number | undefined;
}

/** Makes the line of a terminal. A stream that is no terminal gets nothing. */
export function createProgressLine(stream: ProgressStream): ProgressLine {
  if (!stream.isTTY) return NOTHING;
  const steps: Step[] = [];
  let startedAt = 0;
  let drawnAt = 0;
  let isShown = false;
  const clear = () => {
    if (isShown) stream.write('\r\x1b[2K');
    isShown = false;
  };
  const draw = () => {
    const step = steps.at(-1);
    const now = Date.now();
    if (step === undefined || now - startedAt < AFTER_MS) return;
    drawnAt = now;
    isShown = true;
    const line = toLine(step, now - startedAt);
    stream.write(`\r\x1b[2K${line.slice(0, (stream.columns || 80) - 1)}`);
  };
  return {
    clear,
    during: async (label, work) => {
      const depth = steps.length;
      if (depth === 0) startedAt = Date.now();
      steps.push({ text: label });
      const timer = depth === 0 ? setInterval(draw, STEP_MS) : null;
      const say: Say = (text, done, total) => {
        steps[depth] = { text: `${label}: ${oneLine(text)}`, done, total };
        // Work between two steps may leave timers no time.
        if (Date.now() - drawnAt >= STEP_MS) draw();
      };
      try {
        return await work(say);
      } finally {
        steps.length = depth;
        if (timer !== null) {
          clearInterval(timer);
          clear();
        }
      }
    },
  };
}

function toLine({ text, done, total }: Step, passed: number): string {
  const seconds = `${(passed / 1000).toFixed(0)} s`;
  if (done === undefined || total === undefined) return `${movingBar(passed)} ${text} ${seconds}`;
  return `${filledBar(done, total)} ${done}/${total} ${text} ${seconds}`;
}

/** The duration is unknown, so the bar moves to and fro. */
function movingBar(passed: number): string {
  const step = Math.floor(passed / STEP_MS) % (2 * WIDTH);
  const place = step < WIDTH ? step : 2 * WIDTH - 1 - step;
  return `[${' '.repeat(place)}=${' '.repeat(WIDTH - 1 - place)}]`;
}

function filledBar(done: number, total: number): string {
  const filled = total === 0 ? WIDTH : Math.min(WIDTH, Math.floor((WIDTH * done) / total));
  return `[${'='.repeat(filled)}${' '.repeat(WIDTH - filled)}]`;
}
