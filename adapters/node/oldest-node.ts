/** The oldest version of Node that runs servers and artefacts. `cli/svc.js` repeats it, since it starts on any Node. */
export const OLDEST_NODE = '22.15';

/** Tells whether a version of Node runs servers. Older ones start, and fail in the middle of calls. */
export function isNewEnough(version: string): boolean {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const [oldestMajor = 0, oldestMinor = 0] = OLDEST_NODE.split('.').map(Number);
  return major > oldestMajor || (major === oldestMajor && minor >= oldestMinor);
}
