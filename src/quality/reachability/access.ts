import type { User } from '../../context.ts';
import type { PolicyScope, Side } from '../../policy/compile.ts';
import type { Policies } from '../../project/model.ts';
import type { TypeNode } from '../../types/node.ts';
import {
  evaluateFormula,
  openReads,
  type TypeOf,
  typesOfInput,
  typesOfOutput,
  type World,
  worldsOf,
} from './assignments.ts';
import { denies, type FormulaRule, toFormulaRules } from './program-formulas.ts';

/** The visibility of a field for one caller. */
type FieldAccess = {
  /** A dotted path; empty for the whole result. */
  readonly field: string;
  readonly access: 'shown' | 'filtered' | 'masked' | 'depends';
  /** The rules that hide the field, or may. */
  readonly rules: readonly string[];
  /** The names that decide if the outcome depends: `response`, `now()`. */
  readonly depends_on: readonly string[];
};

/** The rights of one caller on one endpoint according to its policies. */
export type EndpointAccess = {
  readonly call: 'allow' | 'deny' | 'depends';
  /** The rules that deny, or may. */
  readonly rules: readonly string[];
  readonly reason: string | null;
  /** The names that decide if the outcome depends: arguments, `response`, `now()`. */
  readonly depends_on: readonly string[];
  readonly fields: readonly FieldAccess[];
};

/** Evaluates an endpoint's policies for a user without a call. `user: null` is an unauthenticated caller. */
export function endpointAccessOf(policies: Policies, scope: PolicyScope, user: User | null): EndpointAccess {
  const rules = toFormulaRules(policies, scope, { user });
  // In an output condition, `response` is the result, even if a parameter has that name.
  const input = sideOf(rulesOn(rules, 'input'), typesOfInput(scope));
  const output = sideOf(decidingRules(rulesOn(rules, 'output')), typesOfOutput(scope));
  const sides = [input, output];
  const denying = sides.find(({ call }) => call === 'deny');
  const open = sides.filter(({ call }) => call === 'depends');
  const deciding = denying ? [denying] : open;
  const call = denying ? 'deny' : open.length > 0 ? 'depends' : 'allow';
  const rulesOf = deciding.flatMap(({ denied }) => denied);
  const fields = call === 'deny' ? [] : fieldsOf(output, scope);
  return {
    call,
    rules: rulesOf.map(({ name }) => name),
    reason: call === 'allow' ? null : (rulesOf[0]?.rule.reason ?? null),
    depends_on: call === 'depends' ? [...new Set(open.flatMap(({ reads }) => reads))] : [],
    fields,
  };
}

interface SideAccess {
  readonly call: EndpointAccess['call'];
  /** The rules that deny, or may. */
  readonly denied: readonly FormulaRule[];
  readonly reads: readonly string[];
  /** The rules that edit, with the assignments that are not denied; null if there are too many. */
  readonly edits: readonly FormulaRule[];
  readonly worlds: readonly World[] | null;
}

function rulesOn(rules: readonly FormulaRule[], side: Side): readonly FormulaRule[] {
  return rules.filter((rule) => rule.side === side);
}

/** As in a call: if a rule denies every result, those that read the result decide nothing. */
function decidingRules(rules: readonly FormulaRule[]): readonly FormulaRule[] {
  const others = rules.filter(({ formula }) => !openReads(formula).some(isOfResponse));
  return others.some((rule) => isSure(rule) && denies(rule, NO_WORLD)) ? others : rules;
}

function isOfResponse(path: string): boolean {
  return /^response(?!\w)/.test(path);
}

function isSure({ formula }: FormulaRule): boolean {
  return formula.kind === 'known';
}

function sideOf(rules: readonly FormulaRule[], typeOf: TypeOf): SideAccess {
  const formulas = rules.map(({ formula }) => formula);
  const worlds = worldsOf(formulas, typeOf);
  const edits = rules.filter(({ rule }) => rule.action !== 'deny');
  // With too many assignments, every outcome that is not certain depends.
  const looked = worlds ?? [];
  const ends = looked.map((world) => rules.find((rule) => denies(rule, world)) ?? null);
  const denied = worlds
    ? rules.filter((rule) => ends.includes(rule))
    : rules.filter((rule) => !isSure(rule) || denies(rule, NO_WORLD));
  const call = callOf(worlds !== null, { ends, denied, sure: denied.some(isSure) });
  return {
    ...{ call, denied, edits },
    reads: call === 'depends' ? denied.flatMap(({ formula }) => openReads(formula)) : [],
    worlds: worlds?.filter((_, index) => ends[index] === null) ?? null,
  };
}

const NO_WORLD: World = new Map();

function callOf(
  complete: boolean,
  { ends, denied, sure }: { ends: readonly unknown[]; denied: readonly FormulaRule[]; sure: boolean },
): EndpointAccess['call'] {
  if (!complete) return sure ? 'deny' : denied.length > 0 ? 'depends' : 'allow';
  if (ends.every((end) => end !== null) && ends.length > 0) return 'deny';
  return ends.some((end) => end !== null) ? 'depends' : 'allow';
}

function fieldsOf({ edits, worlds }: SideAccess, { returns }: PolicyScope): readonly FieldAccess[] {
  const declared = returns === null ? [] : pathsOf(returns, '');
  const known = new Set(declared.map((field) => field.toLowerCase()));
  const named = edits
    .flatMap(({ rule }) => rule.fields ?? [])
    .filter((field) => !known.has(field.toLowerCase()));
  const sensitive = new Set(returns === null ? [] : sensitiveOf(returns, '', false));
  return [...new Set([...declared, ...named, ...sensitive])].map((field) => {
    const own = edits.filter((edit) => concerns(edit, field, sensitive));
    if (own.length === 0) return { field, access: 'shown' as const, rules: [], depends_on: [] };
    const seen = worlds && new Set(worlds.map((world) => effectIn(own, world)));
    const [only = 'shown', second] = seen ?? [];
    const access = seen === null || second !== undefined ? 'depends' : only;
    const acting = worlds
      ? own.filter(({ formula }) => worlds.some((world) => evaluateFormula(formula, world) === true))
      : own;
    const reads = access === 'depends' ? acting.flatMap(({ formula }) => openReads(formula)) : [];
    return { field, access, rules: acting.map(({ name }) => name), depends_on: [...new Set(reads)] };
  });
}

function effectIn(edits: readonly FormulaRule[], world: World): 'shown' | 'filtered' | 'masked' {
  const acting = edits.filter(({ formula }) => evaluateFormula(formula, world) === true);
  if (acting.some(({ rule }) => rule.action !== 'mask_fields')) return 'filtered';
  return acting.length > 0 ? 'masked' : 'shown';
}

/** A rule on a field also applies to the fields inside it, whatever the case of letters. */
function concerns({ rule }: FormulaRule, field: string, sensitive: ReadonlySet<string>): boolean {
  if (rule.action === 'filter_sensitive_fields') return sensitive.has(field);
  return (rule.fields ?? []).some((own) => `${field}.`.toLowerCase().startsWith(`${own}.`.toLowerCase()));
}

/** The paths of a result's declared fields. Paths go through lists. */
function pathsOf(node: TypeNode, path: string): readonly string[] {
  if (node.items) return pathsOf(node.items, path);
  return Object.entries(node.properties ?? {}).flatMap(([name, property]) => {
    const own = path === '' ? name : `${path}.${name}`;
    return [own, ...pathsOf(property, own)];
  });
}

function sensitiveOf(node: TypeNode, path: string, within: boolean): readonly string[] {
  const hidden = within || node.sensitive === true;
  const own = hidden ? [path] : [];
  const items = node.items ? sensitiveOf(node.items, path, hidden) : [];
  const properties = Object.entries(node.properties ?? {}).flatMap(([name, property]) =>
    sensitiveOf(property, path === '' ? name : `${path}.${name}`, hidden),
  );
  return [...own, ...items, ...properties];
}
