import { SvcError } from '../../src/errors.ts';

/** Throws usage if `--port` is not a port. Without the option, the settings decide. */
export function checkPort(port: string | undefined): void {
  if (port === undefined || (/^\d+$/.test(port) && Number(port) <= 65_535)) return;
  throw new SvcError('usage', `--port ${port} is not a port. Give a whole number from 0 to 65535.`);
}
