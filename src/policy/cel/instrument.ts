import type { Expr } from './expression.ts';

/** The names of the functions that `instrument` inserts. Authors cannot write them. */
export const TICK = '@tick';
export const APPEND = '@append';

type Kind = Expr['exprKind'];
type Comprehension = Extract<Kind, { case: 'comprehensionExpr' }>['value'];
type Call = Extract<Kind, { case: 'callExpr' }>['value'];

/** Copies a condition, counts a step in every loop, and appends to lists in place instead of copying them. */
export function instrument(expr: Expr): Expr {
  const { exprKind } = expr;
  switch (exprKind.case) {
    case 'callExpr':
      return withKind(expr, { case: 'callExpr', value: instrumentCall(exprKind.value) });
    case 'selectExpr': {
      const { operand, ...rest } = exprKind.value;
      return withKind(expr, { case: 'selectExpr', value: { ...rest, ...optional('operand', operand) } });
    }
    case 'listExpr': {
      const elements = exprKind.value.elements.map(instrument);
      return withKind(expr, { case: 'listExpr', value: { ...exprKind.value, elements } });
    }
    case 'structExpr':
      return withKind(expr, {
        case: 'structExpr',
        value: { ...exprKind.value, entries: exprKind.value.entries.map(instrumentEntry) },
      });
    case 'comprehensionExpr':
      return withKind(expr, { case: 'comprehensionExpr', value: instrumentLoop(exprKind.value, expr.id) });
    default:
      return expr;
  }
}

function withKind(expr: Expr, exprKind: Kind): Expr {
  return { ...expr, exprKind };
}

function optional<K extends string>(key: K, expr: Expr | undefined): { [key in K]?: Expr } {
  return expr === undefined ? {} : ({ [key]: instrument(expr) } as { [key in K]?: Expr });
}

function instrumentCall({ target, ...call }: Call): Call {
  const name = isAppend(call) ? APPEND : call.function;
  return { ...call, ...optional('target', target), function: name, args: call.args.map(instrument) };
}

/** Whether a call is `@result + [x]`, which the macros `map` and `filter` run for each element. */
function isAppend(call: Omit<Call, 'target'>): boolean {
  const [list, item] = call.args;
  return (
    call.function === '_+_' &&
    list?.exprKind.case === 'identExpr' &&
    list.exprKind.value.name === '@result' &&
    item?.exprKind.case === 'listExpr'
  );
}

type Entry = Extract<Kind, { case: 'structExpr' }>['value']['entries'][number];

function instrumentEntry({ value, ...entry }: Entry): Entry {
  const { keyKind } = entry;
  const key: Entry['keyKind'] =
    keyKind.case === 'mapKey' ? { case: 'mapKey', value: instrument(keyKind.value) } : keyKind;
  return { ...entry, ...optional('value', value), keyKind: key };
}

function instrumentLoop(loop: Comprehension, id: bigint): Comprehension {
  const { iterRange, accuInit, loopCondition, loopStep, result, ...rest } = loop;
  return {
    ...rest,
    ...optional('iterRange', iterRange),
    ...optional('accuInit', accuInit),
    ...(loopCondition && {
      loopCondition: callOf(id, '_&&_', [callOf(id, TICK, []), instrument(loopCondition)]),
    }),
    ...optional('loopStep', loopStep),
    ...optional('result', result),
  };
}

function callOf(id: bigint, name: string, args: Expr[]): Expr {
  return {
    $typeName: 'cel.expr.Expr',
    id,
    exprKind: { case: 'callExpr', value: { $typeName: 'cel.expr.Expr.Call', function: name, args } },
  };
}
