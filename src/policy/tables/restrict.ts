import type { User } from '../../context.ts';
import { SvcError } from '../../errors.ts';
import type { Clock, RestrictedTable, RowCondition } from '../../ports.ts';
import { foldName } from '../../project/fold-name.ts';
import type { TableRule } from '../../project/model.ts';
import { type Bindings, toInputBindings } from '../cel/bindings.ts';
import { parseCondition } from '../cel/expression.ts';
import { type CompiledRule, compileCondition } from '../compile.ts';
import { FAILED_REASON, toDeniedError } from '../decision.ts';
import { MASK } from '../fields.ts';
import { type CallerValues, compileRows, type RowsFor } from './row-condition.ts';

/**
 * The tables that a caller of the SQL tools may see, each as its first rule whose `to` is true describes it. Throws
 * `denied` if a `to` cannot be evaluated.
 */
export function restrictTables(
  rules: readonly TableRule[],
  user: User | null,
  clock: Clock,
): readonly RestrictedTable[] {
  const bindings = toInputBindings({ kind: 'tool', parameters: [], returns: null }, {}, user);
  const time = clock.now();
  const caller = { bindings, now: () => time };
  const tables = new Map<string, RestrictedTable>();
  rules.forEach((rule, index) => {
    const key = foldName(rule.name);
    const { applies, rowsFor } = compileRule(rule);
    if (tables.has(key) || !applies(caller, `tables[${index}]`)) return;
    tables.set(key, toTable(rule, rowsFor?.(caller) ?? null));
  });
  return [...tables.values()];
}

function toTable({ name, hide = [], mask = [] }: TableRule, rows: RowCondition | null): RestrictedTable {
  const all = rows === null || ('is' in rows && rows.is === true);
  const masked = Object.fromEntries(mask.map((column) => [column, MASK]));
  return { name, rows: all ? null : rows, hide, mask: masked };
}

interface CompiledTable {
  readonly applies: (caller: CallerValues, name: string) => boolean;
  readonly rowsFor: RowsFor | null;
}

const compiled = new WeakMap<TableRule, CompiledTable>();

function compileRule(rule: TableRule): CompiledTable {
  const known = compiled.get(rule);
  if (known) return known;
  const made = {
    applies: rule.to === undefined ? () => true : toApplies(compileCondition(rule.to)),
    rowsFor: rule.rows === undefined ? null : rowsOf(rule.rows),
  };
  compiled.set(rule, made);
  return made;
}

function toApplies(evaluate: CompiledRule['evaluate']): CompiledTable['applies'] {
  return ({ bindings, now }: { readonly bindings: Bindings; readonly now: () => number }, name) => {
    const verdict = evaluate(bindings, now);
    if ('matched' in verdict) return verdict.matched;
    throw toDeniedError({
      outcome: 'deny',
      rules: [name],
      reason: FAILED_REASON,
      evaluated: 1,
      failure: verdict.failure,
    });
  };
}

/** A catalog that was compiled has no other conditions; without this, one would show every row. */
function rowsOf(condition: string): RowsFor {
  const parsed = parseCondition(condition);
  const rows = 'problem' in parsed ? { issue: parsed.problem } : compileRows(parsed.expr);
  if ('rowsFor' in rows) return rows.rowsFor;
  throw new SvcError(
    'project_invalid',
    `A rule of \`sql_tools.tables\` cannot be used: ${rows.issue.message}`,
  );
}
