import type { JsonValue } from '../../json.ts';
import type { PolicyScope } from '../../policy/compile.ts';
import { propertyOf } from '../../policy/fields.ts';
import { acceptsNull, type TypeNode } from '../../types/node.ts';
import type { Compare, Comparison, Formula, Literal, Truth } from './formula.ts';

/** One value for each unknown of the formulas. A symbol stands for a value that no formula names, or for a missing value. */
export type World = ReadonlyMap<string, Literal | symbol>;

/** The declared type of a path, if there is one. */
export type TypeOf = (keys: readonly string[]) => PathType | undefined;

interface PathType {
  readonly node: TypeNode;
  /** Whether an object on the way may be null, which has no fields. */
  readonly mayMiss: boolean;
}

const OTHER = Symbol('some other value');
const MISSING = Symbol('nothing, which cannot be read');
const MOST = 4_096;
/** The maps and lists of every caller, also of one who is not signed in. None of them equals a constant, such as null. */
const COLLECTIONS = ['user', 'user.claims', 'user.permissions', 'user.groups', 'user.capabilities'];

/** Returns every assignment that the formulas can distinguish; null if there are too many. The list is complete, but some assignments may be impossible. */
export function worldsOf(formulas: readonly Formula[], typeOf: TypeOf): readonly World[] | null {
  const compares = Map.groupBy(formulas.flatMap(comparesOf), ({ path }) => path);
  const domains = new Map<string, readonly (Literal | symbol)[]>();
  for (const [path, own] of compares) {
    const keys = own[0]?.keys ?? [];
    const type = typeOf(keys);
    // A key without a declaration may be missing. Keys of the caller are always present.
    const isOfCaller = keys[0] === 'user' && (keys.length === 2 || keys[1] !== 'claims');
    const mayMiss = type?.mayMiss ?? (keys.length > 1 && !isOfCaller);
    const domain = COLLECTIONS.includes(path) ? [OTHER] : domainOf(own, type?.node);
    domains.set(path, [...domain, ...(mayMiss ? [MISSING] : [])]);
  }
  for (const key of formulas.flatMap(keysOf)) domains.set(key, [true, false]);
  const many = [...domains.values()].reduce((product, { length }) => product * length, 1);
  if (many > MOST) return null;
  return [...domains].reduce<readonly World[]>(
    (worlds, [name, values]) =>
      worlds.flatMap((world) => values.map((value) => new Map([...world, [name, value]]))),
    [new Map()],
  );
}

/** The truth of a formula under an assignment. */
export function evaluateFormula(formula: Formula, world: World): Truth {
  switch (formula.kind) {
    case 'known':
      return formula.truth;
    case 'not': {
      const truth = evaluateFormula(formula.part, world);
      return truth === 'fails' ? truth : !truth;
    }
    case 'and':
    case 'or': {
      // As in CEL, one decisive operand is enough, even if the other one fails.
      const decisive = formula.kind === 'or';
      const truths = formula.parts.map((part) => evaluateFormula(part, world));
      if (truths.includes(decisive)) return decisive;
      return truths.includes('fails') ? 'fails' : !decisive;
    }
    case 'choice': {
      const test = evaluateFormula(formula.test, world);
      return test === 'fails' ? test : evaluateFormula(test ? formula.yes : formula.no, world);
    }
    case 'compare':
      return compare(formula, world.get(formula.path) ?? null);
    case 'opaque':
      return world.get(formula.key) === true;
  }
}

function compare({ by, values }: Compare, value: Literal | symbol): Truth {
  const [first] = values;
  if (value === MISSING) return 'fails';
  if (by === '@is') return typeof value === 'boolean' ? value : 'fails';
  if (by === '@in') return values.some((one) => one === value);
  if (by === '_==_') return value === first;
  if (by === '_!=_') return value !== first;
  if (typeof value !== 'number' || typeof first !== 'number') return 'fails';
  return ORDER[by](value, first);
}

const ORDER: {
  readonly [by in Exclude<Comparison, '@in' | '@is' | '_==_' | '_!=_'>]: (a: number, b: number) => boolean;
} = {
  '_<_': (a, b) => a < b,
  '_<=_': (a, b) => a <= b,
  '_>_': (a, b) => a > b,
  '_>=_': (a, b) => a >= b,
};

function partsOf(formula: Formula): readonly Formula[] {
  if (formula.kind === 'not') return [formula.part];
  if (formula.kind === 'and' || formula.kind === 'or') return formula.parts;
  return formula.kind === 'choice' ? [formula.test, formula.yes, formula.no] : [];
}

function comparesOf(formula: Formula): readonly Compare[] {
  return formula.kind === 'compare' ? [formula] : partsOf(formula).flatMap(comparesOf);
}

function keysOf(formula: Formula): readonly string[] {
  return formula.kind === 'opaque' ? [formula.key] : partsOf(formula).flatMap(keysOf);
}

/** The names from outside on which a formula still depends. */
export function openReads(formula: Formula): readonly string[] {
  if (formula.kind === 'compare') return [formula.path];
  return formula.kind === 'opaque' ? formula.reads : [...new Set(partsOf(formula).flatMap(openReads))];
}

/** The values of a path that its comparisons can distinguish. */
function domainOf(compares: readonly Compare[], node: TypeNode | undefined): readonly (Literal | symbol)[] {
  const none = node === undefined || acceptsNull(node) ? [null] : [];
  if (node?.enum) {
    return [...new Set([...node.enum.map((value) => toMember(value, node)), ...none])];
  }
  if (node?.type === 'boolean') return [true, false, ...none];
  const named = compares.flatMap(({ values }) => values);
  const numbers = named.filter((value) => typeof value === 'number');
  const points = numbers.length === 0 ? [] : pointsOf(numbers, node);
  const others = named.filter((value) => typeof value !== 'number');
  const onlyNumbers = node?.type === 'integer' || node?.type === 'number';
  const fitting = onlyNumbers ? others.filter((value) => value === null) : others;
  return [
    ...new Set([...fitting, ...points, ...none, ...(onlyNumbers && numbers.length > 0 ? [] : [OTHER])]),
  ];
}

/** A value of an enum. A whole number beyond 2^53 is a text there, and no formula names one. */
function toMember(value: JsonValue, { type }: TypeNode): Literal | symbol {
  if (type === 'integer' && typeof value === 'string') return Number(value);
  return isLiteral(value) ? value : OTHER;
}

function isLiteral(value: unknown): value is Literal {
  return value === null || ['string', 'number', 'boolean'].includes(typeof value);
}

/** The compared numbers, values between and around them, and the declared bounds, if the type accepts them. */
function pointsOf(numbers: readonly number[], node: TypeNode | undefined): readonly number[] {
  const { minimum, maximum, type } = node ?? {};
  const bounds = [minimum, maximum].filter((bound) => bound !== undefined);
  const sorted = [...new Set([...numbers, ...bounds])].toSorted((one, other) => one - other);
  const between = sorted.flatMap((value, index) => {
    const next = sorted[index + 1];
    return next === undefined ? [value + 1] : [value + 1, (value + next) / 2, next - 1];
  });
  // The next integers below and above a fraction, and those beside them.
  const whole = sorted.flatMap((value) => {
    const [below, above] = [Math.floor(value), Math.ceil(value)];
    return [below - 1, below, above, above + 1];
  });
  const all = [(sorted[0] ?? 0) - 1, ...sorted, ...(type === 'integer' ? whole : between)];
  return [...new Set(all)].filter(
    (value) =>
      value >= (minimum ?? -Infinity) &&
      value <= (maximum ?? Infinity) &&
      (type !== 'integer' || Number.isInteger(value)),
  );
}

/** The declared types of arguments, by their path in input conditions. */
export function typesOfInput({ parameters }: PolicyScope): TypeOf {
  return ([root, ...keys]) => {
    const node = keys.length === 0 ? parameters.find(({ name }) => name === root) : undefined;
    return node && { node, mayMiss: false };
  };
}

/** The declared types of a result's parts, by their path in output conditions. Results are validated before. */
export function typesOfOutput({ returns }: PolicyScope): TypeOf {
  return ([root, ...keys]) => {
    if (root !== 'response' || returns === null) return undefined;
    const whole: PathType = { node: returns, mayMiss: false };
    return keys.reduce<PathType | undefined>((type, key) => type && typeOfField(type, key), whole);
  };
}

/** The type of a field in an object. A field that is not required may be null. */
function typeOfField({ node, mayMiss }: PathType, key: string): PathType | undefined {
  const field = propertyOf(node, key);
  if (field === undefined) return undefined;
  const isRequired = node.required?.includes(key) ?? false;
  return { node: isRequired ? field : { ...field, nullable: true }, mayMiss: mayMiss || acceptsNull(node) };
}
