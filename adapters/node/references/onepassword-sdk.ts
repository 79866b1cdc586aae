import { VERSION } from '../../../src/version.ts';
import type { OpReference } from '../../references/onepassword-connect.ts';
import { unresolved } from '../../references/unresolved.ts';

/** The part we use of `@1password/sdk`, an optional peer dependency. */
interface Sdk {
  createClient(options: {
    readonly auth: string;
    readonly integrationName: string;
    readonly integrationVersion: string;
  }): Promise<{ readonly secrets: { resolve(reference: string): Promise<string> } }>;
}

/** The package, which may be missing. */
const PACKAGE = '@1password/sdk';

/**
 * Creates a reader of 1Password fields that uses the vendor's package and a service account. It throws
 * `reference_unresolved`.
 */
export function createSdkReader(token: string, load: () => Promise<unknown> = () => import(PACKAGE)) {
  let client: ReturnType<Sdk['createClient']> | undefined;
  return async (reference: OpReference): Promise<string> => {
    const sdk = await load().catch(() => {
      throw unresolved(
        `needs the package ${PACKAGE}, which is not installed.`,
        `Run \`npm install ${PACKAGE}\`, or set \`onepassword.connect_host\`.`,
      );
    });
    try {
      client ??= (sdk as Sdk).createClient({
        auth: token,
        integrationName: 'svc',
        integrationVersion: `v${VERSION}`,
      });
      return await (await client).secrets.resolve(toUri(reference));
    } catch {
      throw unresolved(
        'could not be read from 1Password.',
        'Check the names in it, and that the service account has access to the vault.',
      );
    }
  };
}

/** Writes the reference as the package expects it: `otp` is called `totp` there. */
function toUri({ vault, item, section, field, otp }: OpReference): string {
  const path = [vault, item, ...(section === null ? [] : [section]), field].join('/');
  return `op://${path}${otp ? '?attribute=totp' : ''}`;
}
