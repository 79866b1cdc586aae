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
const SHORT = /^(?:github:)?(?<github>[\w-][\w.-]*\/[\w-][\w.-]*)$|^gitlab:(?<gitlab>.+)$/;
/** Addresses of the web and of git, such as `git@github.com:ada/shop`. */
const HOSTED =
  /^(?:(?:https?|ssh|git):\/\/(?:[^/@]*@)?|git@)(?:www\.)?(?<host>github|gitlab)\.com(?::\d+\/|[:/])(?<path>.*)$/i;

/**
 * npm writes an address, or an object with one. Its short forms, those of git and addresses of folders become the `https`
 * address of the repository; null if there is none.
 */
function toRepository(value: JsonValue | undefined): string | null {
  const url = isObject(value) ? value.url : value;
  if (!isText(url)) return null;
  const plain = url
    .trim()
    .replace(/^git\+/, '')
    .replace(/#.*$/, '');
  const hosted = HOSTED.exec(plain)?.groups;
  if (hosted !== undefined) return toHosted(hosted.host?.toLowerCase(), hosted.path);
  if (/^https?:\/\/\S+$/.test(plain)) return withoutEnd(plain);
  const { github, gitlab } = SHORT.exec(plain)?.groups ?? {};
  return github === undefined ? toHosted('gitlab', gitlab) : toHosted('github', github);
}

/** GitHub's repositories have an owner; those of GitLab may be in groups of groups, before `/-/`. */
function toHosted(host = '', path = ''): string | null {
  const [repository = ''] = path.split(/\/-\/|\?/);
  const names = withoutEnd(repository).split('/');
  const own = host === 'github' ? names.slice(0, 2) : names;
  if (own.length < 2 || !own.every((name) => /^[\w-][\w.-]*$/.test(name))) return null;
  return `https://${host}.com/${withoutEnd(own.join('/'))}`;
}

function withoutEnd(address: string): string {
  return address.replace(/\/+$/, '').replace(/\.git$/, '');
}

function isText(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && value.trim() !== '';
}
