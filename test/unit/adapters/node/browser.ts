import { accessSync, constants } from 'node:fs';

const PLACES = [
  process.env.CHROMIUM,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
];

/** The program of a Chromium on this machine; null, and a loud word, where there is none. */
export function findChromium(): string | null {
  const found = PLACES.find((place) => place !== undefined && isProgram(place));
  if (found !== undefined) return found;
  process.stderr.write('\n*** SKIPPED: no Chromium here (apt-get install chromium, or set CHROMIUM) ***\n\n');
  return null;
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
