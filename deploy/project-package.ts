import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf, SvcError } from '../src/errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../src/json.ts';

/** The facts of a project's `package.json` that directories and clients show. All of them are optional. */
export interface ProjectPackage {
  readonly version?: string;
  readonly description?: string;
  readonly author?: { readonly name: string; readonly email?: string; readonly url?: string };
  readonly license?: string;
  readonly homepage?: string;
  /** The address of the source code. */
  readonly repository?: string;
  /** The name in the MCP registry, such as `io.github.owner/shop`. */
  readonly mcpName?: string;
}

/** Reads the project's `package.json`; empty if there is none. Throws `config_invalid` if it is not JSON. */
export async function readProjectPackage(root: string): Promise<ProjectPackage> {
  const text = await readFile(join(root, 'package.json'), 'utf8').catch((thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'ENOENT') return '{}';
    throw thrown;
  });
  try {
    const found: JsonValue = JSON.parse(text);
    return isObject(found) ? toProjectPackage(found) : {};
  } catch (cause) {
    const message = `package.json of the project cannot be read: ${messageOf(cause)} Correct it, or delete it.`;
    throw new SvcError('config_invalid', message, { cause });
  }
}

function toProjectPackage(found: JsonObject): ProjectPackage {
  const author = toAuthor(found.author);
  const repository = toRepository(found.repository);
  const texts = ['version', 'description', 'license', 'homepage', 'mcpName'] as const;
  return {
    ...Object.fromEntries(texts.flatMap((key) => (isText(found[key]) ? [[key, found[key]]] : []))),
    ...(author === null ? {} : { author }),
    ...(repository === null ? {} : { repository }),
  };
}

/** npm writes a person as an object, or as `Name <email> (url)`. */
function toAuthor(value: JsonValue | undefined): NonNullable<ProjectPackage['author']> | null {
  const { name, email, url } = isObject(value) ? value : personIn(isText(value) ? value : '');
  if (!isText(name)) return null;
  return { name, ...(isText(email) ? { email } : {}), ...(isText(url) ? { url } : {}) };
}

const PERSON = /^(?<name>[^<(]*)(?:<(?<email>[^>]*)>)?\s*(?:\((?<url>[^)]*)\))?/;

function personIn(text: string): JsonObject {
  const { name = '', email = '', url = '' } = PERSON.exec(text)?.groups ?? {};
  return { name: name.trim(), email, url };
}

/** npm's forms such as `github:ada/shop` and `ada/shop`. */
const SHORT = /^(?:(github|gitlab):)?([\w-][\w.-]*(?:\/[\w-][\w.-]*)+)$/;
/** Addresses of git, such as `git@github.com:ada/shop`. */
const GIT = /^(?:(?:ssh|git):\/\/)?(?:git@)?(github|gitlab)\.com[:/]([\w./-]+)$/;

/** npm writes an address, or an object with one; its short forms and those of git become `https`. */
function toRepository(value: JsonValue | undefined): string | null {
  const url = isObject(value) ? value.url : value;
  if (!isText(url)) return null;
  const plain = url.replace(/^git\+/, '').replace(/\.git$/, '');
  if (/^https?:\/\/\S+$/.test(plain)) return plain;
  const [, host = 'github', path] = GIT.exec(plain) ?? SHORT.exec(plain) ?? [];
  return path === undefined ? null : `https://${host}.com/${path}`;
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
