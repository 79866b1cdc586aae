import { sha256Hex } from '../../crypto/digest.ts';
import { SvcError } from '../../errors.ts';
import { isObject, type JsonObject, tryJson } from '../../json.ts';
import { toCanonicalText } from '../../types/canonical.ts';

/** A kind of file that comparisons start from. */
export interface DocumentKind {
  /** The key that holds the version of its format. */
  readonly key: string;
  readonly version: number;
  /** What people call it. */
  readonly noun: string;
  /** The command that writes it. */
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

/** A written document with what it is told by. */
export interface Document {
  /** SHA-256 over the content, whatever the order of keys: without time or place. */
  readonly hash: string;
  readonly text: string;
}

/** Content as a file that version control shows changes of: the same content gives the same bytes. */
export async function toDocument(kind: DocumentKind, content: JsonObject): Promise<Document> {
  const hash = await sha256Hex(toCanonicalText(content));
  const text = `${JSON.stringify({ [kind.key]: kind.version, hash, ...content }, null, 2)}\n`;
  return { hash, text };
}

/** Reads one back; throws config_invalid that says what is wrong with it and how to get another. */
export async function parseDocument<Content>(
  { key, version, noun, command }: DocumentKind,
  text: string,
  file: string,
): Promise<{ readonly hash: string; readonly content: Content }> {
  const refuse = (why: string) =>
    new SvcError(
      'config_invalid',
      `${file} is no ${noun}: ${why}. Make a new one with \`${command}\`, or restore it.`,
    );
  const found = tryJson(text);
  if (found === undefined) throw refuse('it is torn, or not JSON');
  if (!isObject(found) || !Object.hasOwn(found, key)) throw refuse('it is a file of another kind');
  const { [key]: written, hash, ...content } = found;
  if (written !== version)
    throw refuse(`it is of version ${JSON.stringify(written)}, and this is ${version}`);
  const actual = await sha256Hex(toCanonicalText(content));
  if (hash !== actual) throw refuse('its hash does not fit its content, so it was edited or merged by hand');
  // The hash says that this is what toDocument was given.
  return { hash, content: content as Content };
}
