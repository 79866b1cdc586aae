import { isObject, type JsonObject, type JsonValue, own } from '../../json.ts';
import {
  type ChangeClass,
  type Difference,
  type DriftChange,
  differ,
  sortChanges,
  toChanges,
} from './change.ts';
import type { Contract, EndpointContract } from './contract.ts';
import { isUnchanged } from './effect.ts';
import { compareSchemas } from './schema.ts';

/** Compares the contracts of two servers: everything that clients see. */
export function compareContracts(before: Contract, after: Contract): readonly DriftChange[] {
  const subjects = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  const changes = subjects.flatMap((subject) =>
    toChanges(subject, comparePresence(own(before, subject), own(after, subject))),
  );
  return sortChanges(changes);
}

function comparePresence(
  before: EndpointContract | undefined,
  after: EndpointContract | undefined,
): readonly Difference[] {
  if (before === undefined) {
    return [differ(['widening', '', 'It is new for clients.'], undefined, after?.description ?? '')];
  }
  if (after === undefined) {
    return [differ(['breaking', '', 'It is no longer served.'], before.description ?? '', undefined)];
  }
  return compareEndpointContracts(before, after);
}

/** Compares two contracts of one endpoint. */
export function compareEndpointContracts(
  before: EndpointContract,
  after: EndpointContract,
): readonly Difference[] {
  return [
    ...compareSchemas(before.input, after.input, 'input', 'input'),
    ...compareOutput(before.output, after.output),
    ...compareAnnotations(before.annotations ?? {}, after.annotations ?? {}),
    ...compareFacts(before, after),
  ];
}

function compareOutput(before: JsonObject | undefined, after: JsonObject | undefined): readonly Difference[] {
  if (before !== undefined && after !== undefined) return compareSchemas(before, after, 'output', 'output');
  if (isUnchanged(before, after)) return [];
  return after === undefined
    ? [differ(['breaking', 'output', 'Results no longer have a declared type.'], before, after)]
    : [differ(['widening', 'output', 'Results now have a declared type.'], before, after)];
}

/** The defaults of MCP's hints (`ToolAnnotations`), and the value that promises less. */
const HINTS: {
  readonly [hint: string]: { readonly unsaid: boolean; readonly warns: boolean } | undefined;
} = {
  readOnlyHint: { unsaid: false, warns: false },
  destructiveHint: { unsaid: true, warns: true },
  idempotentHint: { unsaid: false, warns: false },
  openWorldHint: { unsaid: true, warns: true },
};

function compareAnnotations(before: JsonObject, after: JsonObject): readonly Difference[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return names
    .filter((name) => !isUnchanged(before[name], after[name]))
    .map((name) => {
      const [judged, message] = judgeHint(name, before[name], after[name]);
      return differ([judged, `annotations.${name}`, message], before[name], after[name]);
    });
}

function judgeHint(
  name: string,
  before: JsonValue | undefined,
  after: JsonValue | undefined,
): readonly [ChangeClass, string] {
  const hint = HINTS[name];
  if (hint === undefined || (before ?? hint.unsaid) === (after ?? hint.unsaid)) return ['wording', TEXT];
  return (after ?? hint.unsaid) === hint.warns
    ? ['breaking', 'Clients may have run it without confirmation because it was declared harmless.']
    : ['widening', 'It is declared more harmless than before.'];
}

const TEXT = 'Only the text differs.';

/** The classes and messages for a part of an endpoint that is added, removed or replaced. */
interface Judged {
  readonly added: ChangeClass;
  readonly removed: ChangeClass;
  readonly changed: ChangeClass;
  readonly message: string;
}

const WORDS: Judged = { added: 'wording', removed: 'wording', changed: 'wording', message: TEXT };
const ASKS = { added: 'breaking', removed: 'widening', changed: 'breaking' } as const;

const FORM: Judged = {
  added: 'breaking',
  removed: 'breaking',
  changed: 'breaking',
  message: 'Results have another form.',
};

const FACTS: { readonly [fact: string]: Judged } = {
  name: WORDS,
  title: WORDS,
  description: WORDS,
  icons: WORDS,
  _meta: WORDS,
  mimeType: {
    added: 'breaking',
    removed: 'breaking',
    changed: 'breaking',
    message: 'Results have another media type.',
  },
  content: FORM,
  format: FORM,
  large_result: {
    ...{ added: 'breaking', removed: 'widening', changed: 'breaking' },
    message: 'Results with many rows have another form.',
  },
  confirm: { ...ASKS, changed: 'wording', message: 'A person is asked before each call.' },
  ask: { ...ASKS, message: 'The questions before each call differ.' },
};

function compareFacts(before: EndpointContract, after: EndpointContract): readonly Difference[] {
  const facts = Object.entries(FACTS).flatMap(([fact, judged]) => {
    const [old, now] = [factOf(before, fact), factOf(after, fact)];
    if (isUnchanged(old, now)) return [];
    const name = old === undefined ? judged.added : now === undefined ? judged.removed : judged.changed;
    return [differ([name, fact, judged.message], old, now)];
  });
  return [...facts, ...compareScopes(listOf(before.scopes), listOf(after.scopes))];
}

/** A token must hold all scopes, so an additional one breaks callers. */
function compareScopes(before: readonly string[], after: readonly string[]): readonly Difference[] {
  if (isUnchanged(before.toSorted(), after.toSorted())) return [];
  const more = after.some((scope) => !before.includes(scope));
  return more
    ? [differ(['breaking', 'scopes', 'Tokens that were sufficient are rejected.'], before, after)]
    : [differ(['widening', 'scopes', 'Tokens need fewer scopes than before.'], before, after)];
}

function listOf(value: JsonValue | undefined): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}

function factOf(contract: EndpointContract, fact: string): JsonValue | undefined {
  const found: unknown = contract;
  return isObject(found) && Object.hasOwn(found, fact) ? found[fact] : undefined;
}
