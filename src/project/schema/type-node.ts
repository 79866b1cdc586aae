import * as v from 'valibot';
import { checkParameters, checkTypeNode, type TypeIssue } from '../../types/check.ts';
import { FORMATS, type Parameter, TYPE_NAMES, type TypeNode } from '../../types/node.ts';
import { present } from './present.ts';
import {
  anything,
  choice,
  flag,
  listOf,
  mapOf,
  number,
  optional,
  says,
  strictMap,
  text,
  toIssuePath,
  whole,
  word,
} from './shape.ts';

const ENTRIES = {
  type: choice(TYPE_NAMES),
  format: optional(choice(FORMATS)),
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
  required: optional(listOf(text())),
  additionalProperties: optional(flag()),
};

/** Any node: a `name` on it is allowed, and means nothing outside of a parameter list. */
const NODE: v.GenericSchema<unknown, TypeNode> = v.pipe(
  strictMap({ name: optional(text()), ...ENTRIES }),
  v.transform(({ name: _, ...node }) => toNode(node)),
);

const PARAMETER = v.pipe(
  strictMap({ name: word(), ...ENTRIES }),
  v.transform(({ name, ...node }): Parameter => ({ name, ...toNode(node) })),
);

/** The `return` of an endpoint. */
export const RETURN = v.pipe(
  NODE,
  v.rawCheck(({ dataset, addIssue }) => {
    if (dataset.typed) report(checkTypeNode(dataset.value), addIssue);
  }),
);

/** The `parameters` of an endpoint. */
export const PARAMETERS = v.pipe(
  listOf(PARAMETER),
  v.rawCheck(({ dataset, addIssue }) => {
    if (dataset.typed) report(checkParameters(dataset.value), addIssue);
  }),
);

/** Null means absent everywhere but in `default`, where it makes a parameter optional. */
function toNode({ default: given, ...node }: { readonly default?: TypeNode['default'] } & object): TypeNode {
  return { ...(present(node) as unknown as TypeNode), ...(given === undefined ? {} : { default: given }) };
}

type AddIssue = (info: { message: string; path?: [v.IssuePathItem, ...v.IssuePathItem[]] }) => void;

function report(issues: readonly TypeIssue[], addIssue: AddIssue): void {
  for (const { path, message, fix } of issues) {
    const at = toIssuePath(path);
    addIssue({ message: says('type', message, fix), ...(at ? { path: at } : {}) });
  }
}
