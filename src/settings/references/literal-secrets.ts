import type { Finding } from '../../project/finding.ts';
import { positionAt } from '../../project/yaml/position.ts';
import { isCredentialName } from '../../redaction/credential-names.ts';
import { leavesOf, toKey } from '../effective/tree.ts';
import { nodeAt } from '../schema/node.ts';
import { USER_FILE } from '../schema/user.ts';
import { readUserFile } from '../user-file.ts';
import { isPlainParameter } from './concealment.ts';
import { parseReferences } from './reference.ts';

/** Reports secrets written literally in a user file, which must not become part of an artefact (design, D15). */
export function checkLiteralSecrets(bytes: Uint8Array, name: string): readonly Finding[] {
  const { user, findings } = readUserFile(bytes, name);
  if (user === null) return findings;
  return leavesOf(user.yaml.value).flatMap(({ path, value }) => {
    const plain = isPlainParameter(String(path.at(-1))) && path.includes('parameters');
    const node = nodeAt(USER_FILE, path);
    const hidden = !plain && node !== null && node.hidden && !node.bundled;
    const address = typeof value === 'string' && hasCredentials(value);
    if (!address && (!hidden || value === null || !isLiteral(value))) return [];
    return [
      {
        severity: 'error' as const,
        code: 'literal-secret',
        file: name,
        ...positionAt(user.yaml.positions, path),
        message: `\`${toKey(path)}\` contains a literal secret, but an artefact may contain references only.`,
        fix: 'Replace it with `${NAME}` or another reference, and set the value on the platform.',
      },
    ];
  });
}

/** Whether a value is a literal. A text with a reference is not, and its remaining text, such as `Bearer`, is not secret. */
function isLiteral(value: string | number | boolean): boolean {
  if (typeof value === 'boolean') return false;
  const template = typeof value === 'string' ? parseReferences(value) : null;
  if (template === null || template.kind === 'literal') return String(value) !== '';
  return template.kind === 'refused';
}

/** The parameter that makes a link of S3 (`X-Amz-Signature`) or of Azure (`sig`) a key. */
const SIGNATURE = /^sig$|signature$/i;

/** Stands for a reference while an address is parsed. */
const REFERENCE = 'svc-reference';
/** A reference in the place of the port, which must be a number. */
const PORT = /(?<=^[^/?#]*\/\/[^/?#]*:)\$\{[^}]*\}(?=[/?#]|$)/;

/**
 * Whether an address contains a literal credential: a password, a token in place of the user of an https address, or a
 * query parameter with the name of a credential. A reference beside it, such as the host, makes it no less literal.
 */
function hasCredentials(text: string): boolean {
  const plain = text.replace(PORT, '1').replaceAll(/\$\{[^}]*\}/g, REFERENCE);
  if (!URL.canParse(plain)) return false;
  const { protocol, username, password, searchParams } = new URL(plain);
  const token = /^https?:$/.test(protocol) ? username : '';
  const named = [...searchParams].flatMap(([name, value]) =>
    isCredentialName(name) || SIGNATURE.test(name) ? [value] : [],
  );
  return [password || token, ...named].some((part) => part !== '' && !part.includes(REFERENCE));
}
