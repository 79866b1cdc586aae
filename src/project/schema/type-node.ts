import * as v from 'valibot';
import { checkTypeNode, type TypeIssue } from '../../types/check.ts';
import { FORMAT_NAMES, type Parameter, TYPE_NAMES, type TypeNode } from '../../types/node.ts';
import { withTypedValues } from '../../types/typed-values.ts';
import {
  anything,
  choice,
  flag,
  formed,
  listOf,
  mapOf,
  number,
  optional,
  present,
  says,
  strictMap,
  text,
  toIssuePath,
  whole,
} from './shape.ts';

/** Type names of other languages, with the right name. */
const TYPES_MEANT = {
  str: 'string',
  text: 'string',
  varchar: 'string',
  date: 'string (with `format: date`)',
  timestamp: 'string (with `format: date-time`)',
  int: 'integer',
  bigint: 'integer',
  float: 'number',
  double: 'number',
  decimal: 'number',
  bool: 'boolean',
  list: 'array',
  dict: 'object',
  map: 'object',
  struct: 'object',
};

/** The keys of a type. */
export const TYPE_ENTRIES = {
  type: choice(TYPE_NAMES, TYPES_MEANT),
  format: optional(choice(FORMAT_NAMES)),
  title: optional(text()),
  description: optional(text()),
  default: v.optional(anything()),
  examples: optional(listOf(anything())),
  enum: optional(listOf(anything())),
  nullable: optional(flag()),
  sensitive: optional(flag()),
  minLength: optional(whole(0)),
  maxLength: optional(whole(0)),
  pattern: optional(text()),
  minimum: optional(number()),
  maximum: optional(number()),
  exclusiveMinimum: optional(number()),
  exclusiveMaximum: optional(number()),
  multipleOf: optional(number()),
  minItems: optional(whole(0)),
  maxItems: optional(whole(0)),
  uniqueItems: optional(flag()),
  items: optional(v.lazy(() => NODE)),
  properties: optional(v.lazy(() => mapOf(NODE))),
  required: optional(
    listOf(
      text(),
      'List the names of required properties; a parameter is optional exactly when it has a `default`.',
    ),
  ),
  additionalProperties: optional(flag()),
};

/** A type at any depth. It may have a `name`, which has a meaning in parameter lists only. */
const NODE: v.GenericSchema<unknown, TypeNode> = v.pipe(
  strictMap({ name: optional(text()), ...TYPE_ENTRIES }),
  v.transform(({ name: _, ...node }) => toNode(node)),
);

/** The name of a value, as SQL and templates use it. */
export const VALUE_NAME = formed(
  /^(?!__proto__$)[\p{L}_][\p{L}\p{N}_]*$/u,
  'a name of letters, digits and `_` that does not begin with a digit',
  'Write a name such as `customer_id`, in the SQL too.',
);

const PARAMETER = v.pipe(
  strictMap({ name: VALUE_NAME, ...TYPE_ENTRIES }),
  v.transform(({ name, ...node }): Parameter => ({ name, ...toNode(node) })),
  v.rawCheck(({ dataset, addIssue }) => {
    if (dataset.typed) reportNode(dataset.value, addIssue);
  }),
  v.transform(withTypedValues),
);

/** The `return` of an endpoint. */
export const RETURN = v.pipe(
  NODE,
  v.rawCheck(({ dataset, addIssue }) => {
    if (dataset.typed) reportNode(dataset.value, addIssue);
  }),
  v.transform(withTypedValues),
);

/** The `parameters` of an endpoint. */
export const PARAMETERS = v.pipe(
  listOf(PARAMETER),
  v.rawCheck(({ dataset, addIssue }) => {
    if (dataset.typed) report(repeatedNames(dataset.value), addIssue);
  }),
);

function repeatedNames(parameters: readonly Parameter[]): readonly TypeIssue[] {
  const names = parameters.map(({ name }) => name);
  return names.flatMap((name, index) => {
    if (names.indexOf(name) === index) return [];
    const message = `is ${name}, which is the name of a parameter above.`;
    return [{ path: [index, 'name'], message, fix: 'Rename one of them, in the SQL too.' }];
  });
}

/** Reports contradictions in a type. */
export function reportNode(node: TypeNode, addIssue: AddIssue): void {
  report(checkTypeNode(node), addIssue);
}

/** A key with null counts as absent. The exception is `default`: null makes a parameter optional. */
export function toNode({
  default: given,
  ...node
}: { readonly default?: TypeNode['default'] } & object): TypeNode {
  return { ...(present(node) as unknown as TypeNode), ...(given === undefined ? {} : { default: given }) };
}

type AddIssue = (info: { message: string; path?: [v.IssuePathItem, ...v.IssuePathItem[]] }) => void;

function report(issues: readonly TypeIssue[], addIssue: AddIssue): void {
  for (const { path, message, fix } of issues) {
    const at = toIssuePath(path);
    addIssue({ message: says('type', message, fix), ...(at ? { path: at } : {}) });
  }
}
