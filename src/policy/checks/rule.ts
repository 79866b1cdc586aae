import type { PolicyRule } from '../../project/model.ts';
import type { TypeNode } from '../../types/node.ts';
import type { ConditionIssue } from '../cel/expression.ts';
import { hasSensitiveParts } from '../columns.ts';
import type { Side } from '../compile.ts';

/** An issue at a key of the rule. */
export type RuleIssue = ConditionIssue & { readonly key: string };

/** Reports a rule whose action is impossible, regardless of its condition. Such a rule denies every call. */
export function ruleIssue(side: Side, rule: PolicyRule, returns: TypeNode | null): RuleIssue | null {
  if (rule.action === 'deny') return null;
  if (side === 'input') {
    return {
      key: 'action',
      message: `${rule.action} cannot act on the input of a call.`,
      fix: 'Move the rule to policies.output, or use the action deny.',
    };
  }
  return rule.action === 'filter_sensitive_fields' ? sensitiveProblem(returns) : fieldsProblem(rule);
}

function fieldsProblem({ action, fields = [] }: PolicyRule): RuleIssue | null {
  if (fields.length > 0 && fields.every((field) => field !== '')) return null;
  return {
    key: fields.length > 0 ? 'fields' : 'action',
    message: `${action} has no fields.`,
    fix: 'List them, e.g. fields: [salary, address.street].',
  };
}

function sensitiveProblem(returns: TypeNode | null): RuleIssue | null {
  if (returns !== null && hasSensitiveParts(returns)) return null;
  return {
    key: 'action',
    message: 'filter_sensitive_fields needs a `return` type with sensitive properties.',
    fix: 'Declare `return` with `sensitive: true` on the properties to drop, or use filter_fields.',
  };
}
