import { VERSION } from '../../../src/version.ts';
import type { OpReference } from '../../references/onepassword-connect.ts';
import { unresolved } from '../../references/unresolved.ts';

/** What we use of `@1password/sdk`, an optional peer. */
interface Sdk {
  createClient(options: {
    readonly auth: string;
    readonly integrationName: string;
    readonly integrationVersion: string;
  }): Promise<{ readonly secrets: { resolve(reference: string): Promise<string> } }>;
}

/** The package, which need not be there. */
const PACKAGE = '@1password/sdk';

/** Reads fields with a service account, through the vendor's own package. */
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
        'could not be had from 1Password.',
        'Check the names in it, and that the service account has access to the vault.',
      );
    }
  };
}

/** The package calls the attribute by another name than the reference does. */
function toUri({ vault, item, section, field, otp }: OpReference): string {
  const path = [vault, item, ...(section === null ? [] : [section]), field].join('/');
  return `op://${path}${otp ? '?attribute=totp' : ''}`;
}
