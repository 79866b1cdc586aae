import { sha256Hex } from '../../crypto/digest.ts';
import { SvcError } from '../../errors.ts';
import { isObject, type JsonObject, tryJson } from '../../json.ts';
import { toCanonicalText } from '../../types/canonical.ts';

/** A kind of file that comparisons start from: a snapshot or a contract. */
export interface DocumentKind {
  /** The key of the file's format version. */
  readonly key: string;
  readonly version: number;
  /** The word for such a file in messages. */
  readonly noun: string;
  /** The command that writes such a file. */
  readonly command: string;
}

export const BASELINE: DocumentKind = {
  key: 'svc_drift',
  version: 1,
  noun: 'drift baseline',
  command: 'svc drift-snapshot',
};
export const LOCK: DocumentKind = {
  key: 'svc_lock',
  version: 1,
  noun: 'contract lock',
  command: 'svc lock',
};

/** A document and its hash. */
interface Document {
  /** SHA-256 over the content, independent of time, place and the order of keys. */
  readonly hash: string;
  readonly text: string;
}

/** Converts content to a file whose changes are readable in version control. Equal content has equal bytes. */
export async function toDocument(kind: DocumentKind, content: JsonObject): Promise<Document> {
  const hash = await sha256Hex(toCanonicalText(content));
  const text = `${JSON.stringify({ [kind.key]: kind.version, hash, ...content }, null, 2)}\n`;
  return { hash, text };
}

/** Parses such a file. Throws config_invalid with the reason and the command that writes a new one. */
export async function parseDocument<Content>(
  { key, version, noun, command }: DocumentKind,
  text: string,
  file: string,
): Promise<{ readonly hash: string; readonly content: Content }> {
  const refuse = (why: string) =>
    new SvcError(
      'config_invalid',
      `${file} is not a valid ${noun}: ${why}. Make a new one with \`${command}\`, or restore it.`,
    );
  const found = tryJson(text);
  if (found === undefined) throw refuse('it is incomplete or not JSON');
  if (!isObject(found) || !Object.hasOwn(found, key)) throw refuse('it is a file of another kind');
  const { [key]: written, hash, ...content } = found;
  if (written !== version)
    throw refuse(`it is of version ${JSON.stringify(written)}, and this is ${version}`);
  const actual = await sha256Hex(toCanonicalText(content));
  if (hash !== actual)
    throw refuse('its hash does not match its content, so it was edited or merged by hand');
  // The hash proves that toDocument wrote this content.
  return { hash, content: content as Content };
}
