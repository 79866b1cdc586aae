import { inspect } from 'node:util';
import { withoutCredentials } from '../../src/redaction/credential-names.ts';
import { REDACTED } from '../../src/redaction/hidden-texts.ts';
import type { Conceal } from '../../src/redaction/redact.ts';

/**
 * Prints an error that nothing caught, without the profile's secrets, and ends the process. Node itself would print the
 * error with every property, and the line of source that threw it.
 */
export function concealCrash(conceal: Conceal): void {
  process.once('uncaughtException', (thrown) => {
    process.stderr.write(
      `svc ended by an error: ${withoutCredentials(conceal(inspect(thrown)), REDACTED)}\n`,
    );
    process.exit(1);
  });
}
