import fc from 'fast-check';
import { person, type UserCondition } from './conditions.ts';
import {
  changeLedger,
  type Endpoint,
  endpoint,
  isListed,
  LEDGER,
  ledgerChange,
  ledgerSight,
} from './endpoints.ts';
import { type Probe, probe } from './probes.ts';
import { type Sketch, toFiles } from './project.ts';
import {
  type Change,
  COLUMNS,
  changeColumns,
  changeOf,
  changeRows,
  rowOf,
  type Sight,
  sightOf,
  type Table,
  table,
  toCreate,
} from './tables.ts';
import type { Caller } from './world.ts';

/** One project, one caller, what changes that the caller may not see, and the requests that must not show it. */
export interface Case {
  readonly sketch: Sketch;
  readonly caller: Caller;
  readonly tables: readonly Change[];
  readonly ledgers: readonly Change[];
  /** The table that no rule names, in the second world. */
  readonly vault: Table | null;
  /** What becomes of endpoints that the caller may not list, and of rules for others. */
  readonly others: 'same' | 'altered';
  readonly ghost: Endpoint;
  /** A second user, who is busy in the second world only. */
  readonly second: Caller;
  readonly history: readonly Probe[];
  /** Whether the second user makes each request before the caller does. */
  readonly mirrors: boolean;
  readonly probes: readonly Probe[];
}

const sketch: fc.Arbitrary<Sketch> = fc.record({
  tables: fc.array(table, { minLength: 1, maxLength: 2 }),
  endpoints: fc.array(endpoint, { minLength: 1, maxLength: 4 }),
  search: fc.constantFrom(false, false, false, true),
});

/** Cases with a number of requests. */
export function caseOf(probes: number): fc.Arbitrary<Case> {
  // The first parts shrink first: one request makes every further step fast.
  return fc.record({
    probes: fc.array(probe, { minLength: 1, maxLength: probes, size: 'max' }),
    history: fc.array(probe, { maxLength: 6 }),
    mirrors: fc.constantFrom(false, false, true),
    vault: fc.option(
      fc.record({
        columns: fc.constant(COLUMNS),
        rows: fc.array(rowOf(COLUMNS), { maxLength: 3 }),
        rules: fc.constant([]),
      }),
    ),
    others: fc.constantFrom('same', 'altered'),
    ghost: endpoint,
    sketch,
    caller: person,
    second: person,
    tables: fc.tuple(changeOf(COLUMNS), changeOf(COLUMNS)),
    ledgers: fc.tuple(ledgerChange, ledgerChange, ledgerChange, ledgerChange),
  });
}

/** A world as files and statements. */
export interface Plan {
  readonly files: ReturnType<typeof toFiles>;
  readonly statements: readonly string[];
}

const ALL: Sight = {
  sees: () => false,
  hidden: new Set(COLUMNS.map(({ name }) => name.toLowerCase())),
  deciding: new Set(),
};

/** The two worlds of a case. They differ only in what the caller may not see. */
export function planOf(one: Case): { readonly left: Plan; readonly right: Plan } {
  const { sketch, caller } = one;
  const sights = sketch.tables.map((table) => sightOf(table, caller.user));
  const refused = sights.includes('denied');
  const left = {
    files: toFiles(sketch),
    statements: [
      ...sketch.tables.map(({ columns, rows }, index) => toCreate(`t${index}`, columns, rows)),
      ...sketch.endpoints.map(({ rows }, index) => toCreate(`l${index}`, LEDGER, rows)),
    ],
  };
  const tables = sketch.tables.map(({ columns, rows }, index) => {
    const change = one.tables[index % one.tables.length];
    const found = sights[index];
    if (change === undefined || found === undefined) throw new Error('A table has no change.');
    const sight = refused || found === 'denied' || found === null ? ALL : found;
    return toCreate(`t${index}`, changeColumns(columns, sight, change), changeRows(rows, sight, change));
  });
  const ledgers = sketch.endpoints.map((endpoint, index) => {
    const change = one.ledgers[index % one.ledgers.length];
    if (change === undefined) throw new Error('An endpoint has no change.');
    const sight = ledgerSight(endpoint, caller.user, caller.scopes);
    return toCreate(`l${index}`, LEDGER, changeLedger(endpoint.rows, sight, change));
  });
  const vault = one.vault === null ? [] : [toCreate('vault', one.vault.columns, one.vault.rows)];
  const files = one.others === 'same' ? left.files : toOtherFiles(one);
  return { left, right: { files, statements: [...tables, ...ledgers, ...vault] } };
}

const NOBODY: UserCondition = { cel: 'false', holds: () => false };

/** The project as others see it may differ: endpoints that the caller may not list, and rules that are not for the caller. */
function toOtherFiles({ sketch, caller, ghost }: Case): Plan['files'] {
  const hidden = sketch.endpoints.map((endpoint) => !isListed(endpoint, caller.scopes));
  const endpoints = sketch.endpoints.map((endpoint, index) =>
    hidden[index] && endpoint.kind === ghost.kind && endpoint.kind !== 'prompt'
      ? {
          ...ghost,
          form: endpoint.form,
          shape: endpoint.shape,
          scopes: endpoint.scopes,
          tags: endpoint.tags,
          output: [],
        }
      : endpoint,
  );
  const words = Object.fromEntries(hidden.flatMap((is, index) => (is ? [[index, 'A secret ledger']] : [])));
  const tables = sketch.tables.map((table) => ({ ...table, rules: toOtherRules(table, caller) }));
  const files = toFiles({ ...sketch, tables, endpoints }, words);
  if (caller.scopes.includes('admin') || !sketch.endpoints.some(({ kind }) => kind === ghost.kind))
    return files;
  const extra = toFiles({ ...sketch, endpoints: [{ ...ghost, form: 'plain', scopes: ['admin'], tags: [] }] });
  const [path, text] = Object.entries(extra).find(([name]) => name !== 'svc-site.yml') ?? ['', ''];
  const renamed = text.replaceAll('"e0"', '"e0ghost"').replaceAll('ledger://0/', 'ledger://ghost/');
  return { ...files, [path.replace('e0', 'ghost')]: renamed };
}

function toOtherRules({ rules }: Table, { user }: Caller): Table['rules'] {
  const first = rules.findIndex(({ to }) => (to === null ? true : to.holds(user)) !== false);
  const mine = first === -1 ? [] : rules.slice(first, first + 1);
  const before = rules.slice(0, Math.max(0, first)).map((rule) => ({ ...rule, mask: [], rows: null }));
  const others = { to: NOBODY, rows: null, hide: [], mask: ['note'] };
  return [...before, others, ...mine];
}
