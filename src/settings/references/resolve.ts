import { SvcError } from '../../errors.ts';
import type { JsonObject, JsonValue } from '../../json.ts';
import type { SecretReference, SecretSource } from '../../ports.ts';
import { type Path, toPointer } from '../../project/yaml/position.ts';
import { leavesOf, replaceLeaves } from '../effective/tree.ts';
import { parseReference, parseReferences, type ReferenceText } from './reference.ts';

/** A resolved value and its reference. */
export interface Resolved {
  readonly path: Path;
  /** The references alone, without the surrounding text. */
  readonly reference: string;
}

/** A reference that could not be resolved. */
export interface Unresolved extends Resolved {
  readonly reason: string;
  readonly fix: string;
}

/** A tree with its references resolved, and the positions of those. */
export interface ResolvedTree {
  readonly value: JsonObject;
  readonly resolved: readonly Resolved[];
  readonly unresolved: readonly Unresolved[];
}

/** The lookup of references. */
interface ResolveOptions {
  readonly source: SecretSource;
  /** The time limit of one lookup, in milliseconds. */
  readonly timeoutMs: number;
}

type Answer = { readonly value: string } | { readonly reason: string; readonly fix: string };
type Lookup = (reference: SecretReference) => Promise<Answer>;

/** Resolves every reference at the same time. Each distinct reference is looked up once. */
export async function resolveTree(tree: JsonObject, options: ResolveOptions): Promise<ResolvedTree> {
  const lookup = createLookup(options);
  const found = leavesOf(tree).flatMap(({ path, value }) => {
    const template = typeof value === 'string' ? parseReferences(value) : null;
    return template === null || template.kind === 'literal' ? [] : [{ path, text: String(value), template }];
  });
  const answered = await Promise.all(
    found.map(async ({ path, text, template }) => ({
      path,
      reference: toShown(text, template),
      answer: await answerOf(template, lookup),
    })),
  );
  const values = new Map<string, JsonValue>();
  const unresolved: Unresolved[] = [];
  for (const { path, reference, answer } of answered) {
    if ('value' in answer) values.set(toPointer(path), answer.value);
    else unresolved.push({ path, reference, reason: answer.reason, fix: answer.fix });
  }
  const resolved = answered.map(({ path, reference }) => ({ path, reference }));
  return { value: replaceLeaves(tree, values) as JsonObject, resolved, unresolved };
}

/** Shows the references only, because the surrounding text may be a password. */
function toShown(text: string, template: ReferenceText): string {
  if (template.kind !== 'reference') return '${…}';
  if (template.scheme !== null) return text;
  return template.parts.flatMap((part) => ('variable' in part ? [`\${${part.variable}}`] : [])).join(' ');
}

async function answerOf(template: ReferenceText, lookup: Lookup): Promise<Answer> {
  if (template.kind === 'refused') return { reason: template.message, fix: template.fix };
  if (template.kind === 'literal') return { reason: 'is not a reference.', fix: 'Write it as text.' };
  const texts = await Promise.all(
    template.parts.map((part) =>
      'text' in part ? { value: part.text } : lookup({ scheme: 'env', name: part.variable }),
    ),
  );
  const failed = texts.find((text) => 'reason' in text);
  if (failed) return failed;
  const joined = texts.map((text) => ('value' in text ? text.value : '')).join('');
  if (template.scheme === null) return { value: joined };
  const parsed = parseReference(joined);
  return 'reference' in parsed
    ? lookup(parsed.reference)
    : { reason: `with its variables filled in ${parsed.message}`, fix: parsed.fix };
}

function createLookup({ source, timeoutMs }: ResolveOptions): Lookup {
  const asked = new Map<string, Promise<Answer>>();
  return (reference) => {
    const key = JSON.stringify(reference);
    const known = asked.get(key);
    if (known) return known;
    const answer = lookUp(reference, source, timeoutMs);
    asked.set(key, answer);
    return answer;
  };
}

async function lookUp(reference: SecretReference, source: SecretSource, timeoutMs: number): Promise<Answer> {
  const controller = new AbortController();
  const late = Promise.withResolvers<Answer>();
  const timer = setTimeout(() => {
    controller.abort();
    late.resolve({
      reason: `was not answered within ${timeoutMs / 1000} seconds.`,
      fix: 'Check the address and the network connection to it.',
    });
  }, timeoutMs);
  try {
    const value = source.read(reference, controller.signal).then((text) => ({ value: text }));
    return await Promise.race([value.catch(toAnswer), late.promise]);
  } catch (thrown) {
    return toAnswer(thrown);
  } finally {
    clearTimeout(timer);
  }
}

/** Does not repeat the text of a foreign error, because it may quote the secret. */
function toAnswer(thrown: unknown): Answer {
  const known = thrown instanceof SvcError && thrown.code === 'reference_unresolved';
  const [reason = '', fix] = known ? thrown.message.split('\n') : ['could not be looked up.'];
  return { reason, fix: fix ?? 'Correct the reference, or its target.' };
}
