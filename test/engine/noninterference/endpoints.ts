import fc from 'fast-check';
import { type Cell, type Person, type Row, type UserCondition, userCondition } from './conditions.ts';
import { type Change, type Column, changeOf, changeRows, rowOf, type Sight } from './tables.ts';

/** A rule about a call: its condition over the user or over the arguments, and the effect of the former. */
interface InputRule {
  readonly when: UserCondition;
  /** A further condition over the arguments, which must be true too. */
  readonly args: string | null;
  readonly reason: string | null;
}

interface OutputRule {
  readonly when: UserCondition;
  /** A further condition over visible parts of the result. */
  readonly data: string | null;
  readonly action: 'deny' | 'mask_fields' | 'filter_fields' | 'filter_sensitive_fields';
  readonly fields: readonly string[];
}

/** An endpoint over a table of its own. */
export interface Endpoint {
  readonly kind: 'tool' | 'resource' | 'prompt';
  readonly scopes: readonly string[];
  readonly tags: readonly string[];
  /** Whether its SQL returns the rows of the caller only. */
  readonly own: boolean;
  /** A failing statement is one whose error quotes the whole table. A repeated one gives several columns the same name. */
  readonly shape: 'rows' | 'one' | 'sum' | 'repeated' | 'failing';
  readonly returns: boolean;
  readonly input: readonly InputRule[];
  readonly output: readonly OutputRule[];
  readonly form: 'plain' | 'csv' | 'markdown' | 'view' | 'large csv' | 'large json' | 'large parquet';
  readonly limits: { readonly rows?: number; readonly bytes?: number };
  readonly ttl: boolean;
  /** The column whose values a resource suggests for its parameter. */
  readonly suggests: 'id' | 'amount' | 'note' | 'ssn';
  readonly rows: readonly Row[];
}

/** The columns of every endpoint's table. */
export const LEDGER: readonly Column[] = [
  { name: 'id', type: 'INTEGER' },
  { name: 'owner', type: 'VARCHAR' },
  { name: 'region', type: 'VARCHAR' },
  { name: 'amount', type: 'INTEGER' },
  { name: 'note', type: 'VARCHAR' },
  { name: 'ssn', type: 'VARCHAR' },
  { name: 'address', type: 'STRUCT(street VARCHAR, city VARCHAR)' },
  { name: 'items', type: 'STRUCT(sku VARCHAR, cost INTEGER)[]' },
];
const PLAIN = LEDGER.slice(0, 6);
const FIELDS = ['amount', 'note', 'SSN', 'address', 'address.street', 'Items.Cost', 'items'] as const;
/** The fields that `return` declares sensitive. */
const SENSITIVE = ['ssn', 'address.street', 'items.cost'] as const;
/** The columns that a shape shows under other names. */
const RENAMED: { readonly [shape: string]: { readonly [field: string]: string } } = {
  sum: { total: 'amount' },
  repeated: { id_1: 'note' },
};

const owner = fc.constantFrom('ada@acme.com', 'bob@other.org', null);
const words = fc.constantFrom('x', 'Main St', '', 'w'.repeat(900));
const cost = fc.constantFrom(0, 1, 99_999);

export const ledgerRow: fc.Arbitrary<Row> = fc
  .tuple(
    rowOf(PLAIN),
    fc.nat(4),
    owner,
    fc.option(fc.record({ street: fc.option(words), city: words }), { freq: 5 }),
    fc.option(fc.array(fc.record({ sku: words, cost }), { maxLength: 2 }), { freq: 5 }),
  )
  .map(([row, id, by, address, items]) => ({ ...row, id, owner: by, address, items }));

const inputRule: fc.Arbitrary<InputRule> = fc.record({
  when: userCondition,
  args: fc.constantFrom(null, null, null, "region == 'US'", 'id > 2', 'region == null || size(region) > 2'),
  reason: fc.option(fc.constantFrom('Not for you.')),
});

const always: UserCondition = { cel: 'true', holds: () => true };

const outputRule: fc.Arbitrary<OutputRule> = fc.record({
  when: fc.oneof({ weight: 2, arbitrary: userCondition }, { weight: 1, arbitrary: fc.constant(always) }),
  data: fc.constantFrom(null, null, null, null, 'size(response) > 2', 'size(response) == 0'),
  action: fc.constantFrom(
    'mask_fields',
    'mask_fields',
    'filter_fields',
    'filter_fields',
    'filter_sensitive_fields',
    'filter_sensitive_fields',
    'deny',
  ),
  fields: fc.subarray([...FIELDS], { minLength: 1, maxLength: 3 }),
});

/** Endpoints of every kind, with their policies and data. */
export const endpoint: fc.Arbitrary<Endpoint> = fc
  .record({
    kind: fc.constantFrom('tool', 'tool', 'tool', 'resource', 'prompt'),
    scopes: fc.subarray(['read', 'admin'], { maxLength: 1 }),
    tags: fc.subarray(['a', 'b']),
    own: fc.boolean(),
    shape: fc.constantFrom('rows', 'rows', 'rows', 'rows', 'one', 'sum', 'repeated', 'failing'),
    returns: fc.boolean(),
    input: fc.array(inputRule, { maxLength: 1 }),
    output: fc.array(outputRule, { maxLength: 3 }),
    form: fc.constantFrom(
      'plain',
      'plain',
      'csv',
      'markdown',
      'view',
      'view',
      'large csv',
      'large json',
      'large parquet',
    ),
    limits: fc.record({ rows: fc.constant(3), bytes: fc.constant(1_024) }, { requiredKeys: [] }),
    ttl: fc.boolean(),
    suggests: fc.constantFrom('id', 'amount', 'note', 'ssn'),
    rows: fc.array(ledgerRow, { maxLength: 6 }),
  })
  .map((drawn): Endpoint => {
    // `return` cannot describe the columns that DuckDB numbers.
    const one = drawn.shape === 'repeated' ? { ...drawn, returns: false } : drawn;
    const input = one.input.map((rule) =>
      rule.args !== null && one.kind === 'resource' ? { ...rule, args: 'id > 2' } : rule,
    );
    return { ...one, input, output: one.output.map((rule) => toFitting(rule, one)) };
  });

/** A rule of fields that the result has. `return` spells them; without it, letters of any case mean a column. */
function toFitting(rule: OutputRule, { shape, returns }: Pick<Endpoint, 'shape' | 'returns'>): OutputRule {
  const action = rule.action === 'filter_sensitive_fields' && !returns ? 'filter_fields' : rule.action;
  const data = shape === 'rows' ? rule.data : null;
  const spelled = rule.fields.map((field) => (returns ? field.toLowerCase() : field));
  if (shape === 'repeated') {
    const fields = spelled.map((field) => (/note/i.test(field) ? 'id_1' : field));
    return { ...rule, action, data, fields };
  }
  if (shape !== 'sum') return { ...rule, action, data, fields: spelled };
  const fields = spelled.map((field) => {
    if (/amount/i.test(field)) return 'total';
    return /note/i.test(field) ? 'note' : 'SSN';
  });
  return { ...rule, action, data, fields: [...new Set(fields)] };
}

export const ledgerChange: fc.Arbitrary<Change> = fc
  .tuple(
    changeOf(PLAIN, []),
    fc.array(ledgerRow, { minLength: 8, maxLength: 8 }),
    fc.array(ledgerRow, { maxLength: 3 }),
  )
  .map(([change, rows, more]) => ({
    ...change,
    rows,
    more: more.map((row, index) => ({ at: (index * 5) % 4, row })),
  }));

/** A caller without the scopes of an endpoint sees nothing of it but that a call by its name needs them. */
export function isListed({ scopes }: Endpoint, held: readonly string[]): boolean {
  return scopes.every((scope) => held.includes(scope));
}

/** What a caller sees of an endpoint's data. Null is nothing: every call is denied, whatever the data. */
export function ledgerSight(endpoint: Endpoint, user: Person, held: readonly string[]): Sight | null {
  if (!isListed(endpoint, held)) return null;
  if (endpoint.input.some((rule) => rule.args === null && rule.when.holds(user) !== false)) return null;
  const sees = (row: Row) => !endpoint.own || (row.owner !== null && row.owner === user?.email);
  if (endpoint.kind === 'prompt') return { sees, hidden: new Set(), deciding: new Set() };
  const certain = endpoint.output.filter((rule) => rule.data === null);
  const denies = certain.some(({ when, action }) => {
    const held = when.holds(user);
    return held === null || (held && action === 'deny');
  });
  if (denies) return null;
  const hidden = certain
    .filter(({ when }) => when.holds(user) === true)
    .flatMap(({ action, fields }) => {
      if (action === 'deny') return [];
      return action === 'filter_sensitive_fields' ? sensitiveOf(endpoint) : fields;
    })
    .map((field) => field.toLowerCase());
  const renamed = RENAMED[endpoint.shape] ?? {};
  return { sees, hidden: new Set(hidden.map((field) => renamed[field] ?? field)), deciding: new Set() };
}

function sensitiveOf({ shape }: Endpoint): readonly string[] {
  return shape === 'sum' ? ['ssn'] : SENSITIVE;
}

/** The rows of an endpoint's table in the other world. */
export function changeLedger(rows: readonly Row[], sight: Sight | null, change: Change): readonly Row[] {
  if (sight === null) {
    return changeRows(
      rows,
      { sees: () => false, hidden: new Set(LEDGER.map(({ name }) => name)), deciding: new Set() },
      change,
    );
  }
  return changeRows(rows, sight, change, (row, other) => editLedger(row, other, sight.hidden));
}

function editLedger(row: Row, other: Row, hidden: ReadonlySet<string>): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, cell]) => [name, editCell(name, cell, other[name] ?? null, hidden)]),
  );
}

/** Replaces the hidden parts of a cell: all of it, or fields of an object or of the items of a list. */
function editCell(path: string, cell: Cell, other: Cell, hidden: ReadonlySet<string>): Cell {
  if (hidden.has(path)) return other;
  if (Array.isArray(cell)) {
    const others: readonly Cell[] = Array.isArray(other) ? other : [];
    return cell.map((item: Cell, index) => editCell(path, item, others[index] ?? null, hidden));
  }
  if (typeof cell !== 'object' || cell === null) return cell;
  const from = typeof other === 'object' && other !== null && !Array.isArray(other) ? (other as Row) : {};
  return Object.fromEntries(
    Object.entries(cell as Row).map(([name, part]) => [
      name,
      editCell(`${path}.${name}`, part, from[name] ?? null, hidden),
    ]),
  );
}
