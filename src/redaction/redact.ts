import type { RequestContext } from '../context.ts';
import { isList, isObject, type JsonObject, type JsonValue } from '../json.ts';
import type { Parameter, TypeNode } from '../types/node.ts';
import { isCredentialName, isNamedCredential, withoutCredentials } from './credential-names.ts';
import { createSearchWork } from './form-index.ts';
import { createHiddenTexts, type HiddenTexts, REDACTED } from './hidden-texts.ts';

/** The most characters of one text in a record. */
const MAX_TEXT = 1_024;
/** The most characters of one key. */
const MAX_KEY = 128;
/** The most characters of all parameters of a call, and of its result. */
const MAX_CHARACTERS = 8_192;
/** The most items of one list, and the most keys of one object. */
const MAX_PARTS = 100;
/** The most levels of one value. */
const MAX_LEVELS = 12;

/** Removes the profile's secrets from a text, or at least from its first `most` characters; see `createConcealment`. */
export type Conceal = (text: string, most?: number) => string;

/** Redacts the values of one call. Remembers each removed text, so that it is also removed from other texts of the call. */
export interface Redactor {
  /** Keeps declared parameters only, because an undeclared one may be sensitive. */
  arguments(args: JsonObject, parameters: readonly Parameter[]): JsonObject;
  result(value: JsonValue, returns: TypeNode | null): JsonValue;
  /** Redacts a message of the server, which may quote one of the caller's values. */
  text(text: string, limit?: number): string;
  /** The removed texts so far, and their lines. */
  readonly hidden: readonly string[];
}

/** Creates a redactor for one call. Pass the arguments first. `known` are further texts to remove. */
export function createRedactor(conceal: Conceal = (text) => text, known: readonly string[] = []): Redactor {
  const hidden = createHiddenTexts(known);
  const bare = createTextShower(hidden, conceal);
  let work = createSearchWork();
  const text = (value: string, limit = MAX_TEXT) => bare(value, limit, work);
  /** Walks again if something was hidden, because texts before it may repeat it. */
  const redact = <T>(run: (walk: Walk) => T): T => {
    const already = hidden.size;
    const shown = run(createWalk(text, hidden));
    return hidden.size === already ? shown : run(createWalk(text, hidden));
  };
  return {
    arguments: (args, parameters) => {
      work = createSearchWork();
      hideDeclared(args, parameters, hidden);
      return redact((walk) => walk.arguments(args, parameters));
    },
    result: (value, returns) => redact((walk) => walk.value(value, returns, 0)),
    text,
    get hidden() {
      return hidden.texts;
    },
  };
}

/** Makes the function that shows a text of a call without hidden texts and credentials, cut to a number of characters. */
function createTextShower(hidden: HiddenTexts, conceal: Conceal) {
  return (value: string, limit: number, work = createSearchWork()): string => {
    // Arguments are removed before the text is cut: a part of a long one would not be recognised.
    const open = hidden.remove(value, work);
    const near = conceal(open, 4 * limit);
    if (near.length < 4 * limit) return cutText(withoutCredentials(near, REDACTED), limit);
    // Truncated twice, so that a credential across the first limit is seen whole. One across the second limit is not, so
    // the end is left out: if much was removed, it would be shown.
    const bare = withoutCredentials(near.slice(0, 4 * limit), REDACTED).slice(0, -limit);
    return cutText(bare, limit, open.length - 3 * limit);
  };
}

/** The most characters of one text in the log. */
const MAX_LOGGED = 16_384;

/** The values of a call that texts about it may quote. */
export interface CallTexts {
  readonly args: JsonObject;
  readonly parameters: readonly Parameter[];
  /** Credentials that came with the call; see `callerCredentials`. */
  readonly credentials: readonly string[];
}

/** Removes sensitive arguments and credentials from a text about a call, and then cuts the text to a number of characters. */
type TextRedactor = (text: string, limit?: number) => string;

/** Makes the redactor of texts about a call. */
export function createTextRedactor(texts: CallTexts): TextRedactor {
  const shown = createTextShower(hiddenOf(texts), (text) => text);
  return (text, limit = MAX_LOGGED) => shown(text, limit);
}

/** The texts of a call that no line about it may have: sensitive arguments and credentials. */
export function concealedTexts(texts: CallTexts): readonly string[] {
  return hiddenOf(texts).texts;
}

function hiddenOf({ args, parameters, credentials }: CallTexts): HiddenTexts {
  const hidden = createHiddenTexts(credentials);
  hideDeclared(args, parameters, hidden);
  hideNamed(args, parameters, hidden);
  return hidden;
}

type Node = TypeNode | null;

interface Walk {
  arguments(args: JsonObject, parameters: readonly Parameter[]): JsonObject;
  named(name: string, value: JsonValue, node: Node, level?: number): JsonValue;
  value(value: JsonValue, node: Node, level: number): JsonValue;
}

/** Walks a value along its type. */
function createWalk(text: Redactor['text'], hidden: HiddenTexts): Walk {
  let left = MAX_CHARACTERS;
  const walkText = (value: string) => {
    const shown = text(value);
    left -= shown.length;
    return shown;
  };
  const walkList = (list: readonly JsonValue[], node: Node, level: number): JsonValue[] => {
    const shown: JsonValue[] = [];
    for (const element of list) {
      if (left <= 0 || shown.length >= MAX_PARTS) break;
      shown.push(walk.value(element, node?.items ?? null, level + 1));
    }
    return shown.length < list.length ? [...shown, missing(list.length - shown.length, 'item')] : shown;
  };
  const walkObject = (object: JsonObject, node: Node, level: number): JsonObject => {
    const shown: [string, JsonValue][] = [];
    const keys = Object.keys(object);
    const guarded = node !== null && holdsSensitive(node);
    const names = new Map<string, number>();
    for (const key of keys) {
      if (left <= 0 || shown.length >= MAX_PARTS) break;
      const value = object[key] ?? null;
      const own = propertyOf(node, key);
      // A declared name is no value of a caller.
      const name = toUnique(own === null ? text(key, MAX_KEY) : cutText(key, MAX_KEY), names);
      left -= name.length;
      shown.push([name, own === null && guarded ? hide(value, hidden) : walk.named(key, value, own, level)]);
    }
    const rest = keys.length - shown.length;
    return Object.fromEntries(rest > 0 ? [...shown, ['[CUT]', missing(rest, 'key')]] : shown);
  };
  const walk: Walk = {
    arguments: (args, parameters) => {
      const names = new Map<string, number>();
      const shown = Object.keys(args).slice(0, MAX_PARTS);
      return Object.fromEntries(
        shown.map((name) => {
          const value = args[name] ?? null;
          const parameter = parameters.find((one) => one.name === name);
          return parameter
            ? [toUnique(cutText(name, MAX_KEY), names), walk.named(name, value, parameter)]
            : [toUnique(text(name, MAX_KEY), names), hide(value, hidden)];
        }),
      );
    },
    named: (name, value, node, level = 0) =>
      isNamedCredential(name, value) ? hide(value, hidden) : walk.value(value, node, level + 1),
    value: (value, node, level) => {
      left -= 8;
      if (node?.sensitive || !fits(value, node)) return hide(value, hidden);
      if (value === null || typeof value === 'boolean') return value;
      // Only a number that is a removed value as a whole: a part of one is there by chance.
      if (typeof value === 'number') return text(String(value)) === REDACTED ? REDACTED : value;
      if (typeof value === 'string') return walkText(value);
      if (level > MAX_LEVELS) return '[CUT: deeper levels]';
      return isList(value) ? walkList(value, node, level) : walkObject(value, node, level);
    },
  };
  return walk;
}

/** Numbers a key that is the same as an earlier one after its redaction. `names` has the last number of each. */
function toUnique(name: string, names: Map<string, number>): string {
  let unique = name;
  let number = names.get(name) ?? 1;
  while (names.has(unique)) {
    number += 1;
    unique = `${name} (${number})`;
  }
  names.set(unique, 1).set(name, number);
  return unique;
}

function propertyOf(node: Node, key: string): Node {
  const properties = node?.properties;
  return properties !== undefined && Object.hasOwn(properties, key) ? (properties[key] ?? null) : null;
}

/**
 * Whether a value has the shape of its type. A value of another
 * shape, such as JSON as text, may hold a sensitive part anywhere.
 */
function fits(value: JsonValue, node: Node): boolean {
  if (node === null || value === null || !holdsSensitive(node)) return true;
  if (node.type === 'array') return isList(value);
  return node.type === 'object' && typeof value === 'object' && !isList(value);
}

/** Remembers the texts and numbers of a removed value and returns the replacement. */
function hide(value: JsonValue | undefined, hidden: HiddenTexts): string {
  const open: (JsonObject | readonly JsonValue[])[] = [];
  const take = (part: JsonValue | undefined) => {
    if (typeof part === 'string' || typeof part === 'number') hidden.add(String(part));
    else if (typeof part === 'object' && part !== null) open.push(part);
  };
  take(value);
  for (let next = open.pop(); next !== undefined && !hidden.removesAll; next = open.pop()) {
    if (isList(next)) for (const part of next) take(part);
    else for (const key of Object.keys(next)) take(next[key]);
  }
  return REDACTED;
}

function hideDeclared(args: JsonObject, parameters: readonly Parameter[], hidden: HiddenTexts): void {
  for (const parameter of parameters) hideParts(args[parameter.name], parameter, hidden);
}

/** Hides each sensitive part of an argument, also the parts that a record has no room for. */
function hideParts(value: JsonValue | undefined, node: Node, hidden: HiddenTexts): void {
  if (value === undefined || value === null || node === null) return;
  if (node.sensitive || !fits(value, node)) hide(value, hidden);
  if (node.sensitive || typeof value !== 'object' || !holdsSensitive(node)) return;
  if (isList(value)) for (const item of value) hideParts(item, node.items ?? null, hidden);
  else for (const key of Object.keys(value)) hideProperty(value[key], propertyOf(node, key), hidden);
}

/** Hides the sensitive parts of a property. An undeclared one beside sensitive ones may be sensitive. */
function hideProperty(value: JsonValue | undefined, node: Node, hidden: HiddenTexts): void {
  if (node === null) hide(value, hidden);
  else hideParts(value, node, hidden);
}

/** Hides undeclared arguments, and each part of the others with the name of a credential: a log line may quote one from any depth. */
function hideNamed(args: JsonObject, parameters: readonly Parameter[], hidden: HiddenTexts): void {
  const declared = new Set(parameters.map(({ name }) => name));
  for (const name of Object.keys(args)) {
    if (declared.has(name)) hideCredentials(name, args[name], hidden);
    else hide(args[name], hidden);
  }
}

function hideCredentials(name: string, value: JsonValue | undefined, hidden: HiddenTexts): void {
  if (isNamedCredential(name, value)) hide(value, hidden);
  else if (isList(value)) for (const item of value) hideCredentials('', item, hidden);
  else if (isObject(value)) for (const key of Object.keys(value)) hideCredentials(key, value[key], hidden);
}

/** A scheme and its credential in a header, e.g. `Bearer …`. */
const SCHEME = /^[A-Za-z][\w-]*\s+(?=\S)/;

/**
 * Lists the credentials that came with a call: the headers with names of credentials, also without their scheme, and the
 * identity provider's token. SQL and Python may read them, so their errors may quote them.
 */
export function callerCredentials({
  headers,
  user,
}: Pick<RequestContext, 'headers' | 'user'>): readonly string[] {
  const sent = [...(headers() ?? [])].flatMap(([name, value]) =>
    isCredentialName(name) || name === 'dpop' ? [value, value.replace(SCHEME, '')] : [],
  );
  const token = user?.externalToken ?? null;
  return token === null ? sent : [...sent, token];
}

const sensitiveTypes = new WeakMap<TypeNode, boolean>();

/** Whether a type is `sensitive` or contains such a type. The answer is cached for each node. */
export function holdsSensitive(node: TypeNode): boolean {
  const answer = sensitiveTypes.get(node);
  if (answer !== undefined) return answer;
  const inside = [...(node.items ? [node.items] : []), ...Object.values(node.properties ?? {})];
  const found = inside.some((child) => child.sensitive === true || holdsSensitive(child));
  sensitiveTypes.set(node, found);
  return found;
}

/** Truncates a text to `limit` characters without splitting a character, and states how many are missing. */
export function cutText(text: string, limit: number, already = 0): string {
  const lost = Math.max(0, text.length - limit) + already;
  const shown = lost === 0 ? text : `${text.slice(0, limit)}${missing(lost, 'character')}`;
  return shown.isWellFormed() ? shown : shown.toWellFormed();
}

/** The note that replaces a missing part of a record. */
function missing(many: number, noun: string): string {
  return `[CUT: ${many} more ${noun}${many === 1 ? '' : 's'}]`;
}
