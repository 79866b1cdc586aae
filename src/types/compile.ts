import * as v from 'valibot';
import { SvcError } from '../errors.ts';
import { isObject, type JsonValue } from '../json.ts';
import { COERCE, EXACT } from './coerce.ts';
import { constraintsOf } from './constraints.ts';
import {
  createArrayWalk,
  createObjectWalk,
  type ObjectShape,
  type Report,
  type Schema,
  type Walk,
} from './nested.ts';
import type { Parameter, TypeNode } from './node.ts';
import { acceptsNull, hasDefault } from './nullable.ts';

/** The direction of a value: `input` comes from a client, `output` from the database. */
export type Mode = 'input' | 'output';

/** The deepest type that compiles. A deeper one is a cycle in the YAML. */
export const MAX_TYPE_DEPTH = 32;

/** Compiles a type node and all nodes below it. Throws project_invalid for a type nested too deep. */
export function toSchema(node: TypeNode, mode: Mode, depth = 1): Schema {
  if (depth > MAX_TYPE_DEPTH) {
    throw new SvcError('project_invalid', `A type is nested deeper than ${MAX_TYPE_DEPTH} levels.`);
  }
  const convert = (mode === 'input' ? COERCE : EXACT)[node.type];
  const constraints = constraintsOf(node);
  const walk = walkOf(node, mode, depth);
  const schema = toStep((given, report) => {
    const converted = convert(given);
    if ('problem' in converted) {
      report(converted.problem);
      return null;
    }
    let wrong = false;
    const whole = walk?.(converted.value, (message, path) => {
      wrong = true;
      report(message, path);
    });
    // Constraints see converted items ("5" is 5). If an item cannot be converted, they see the items as sent.
    const value = wrong || whole === undefined ? converted.value : whole;
    for (const constraint of constraints) {
      const problem = constraint(value);
      if (problem !== null) report(problem);
    }
    return value;
  });
  return acceptsNull(node) ? v.nullable(schema) : schema;
}

/** Compiles a parameter list to an object that accepts only the declared names. */
export function toArgumentsSchema(parameters: readonly Parameter[]): Schema {
  const properties = parameters.map((parameter) => ({
    name: parameter.name,
    schema: toSchema(parameter, 'input'),
    required: !hasDefault(parameter),
    default: parameter.default,
    nullWhenOptional: false,
  }));
  const walk = createObjectWalk({ properties, open: false, noun: 'parameter' });
  return toStep((value, report) => {
    if (isObject(value)) return walk(value, report);
    report('the arguments must be an object');
    return null;
  });
}

function toStep(run: (value: unknown, report: Report) => JsonValue): Schema {
  return v.pipe(
    v.unknown(),
    v.rawTransform<unknown, JsonValue>(({ dataset, addIssue }) =>
      run(dataset.value, (message, path) => {
        const [first, ...rest] = path ?? [];
        addIssue(first ? { message, path: [first, ...rest] } : { message });
      }),
    ),
  );
}

function walkOf(node: TypeNode, mode: Mode, depth: number): Walk | null {
  if (node.type === 'array' && node.items) return createArrayWalk(toSchema(node.items, mode, depth + 1));
  return node.type === 'object' ? createObjectWalk(shapeOf(node, mode, depth)) : null;
}

function shapeOf(node: TypeNode, mode: Mode, depth: number): ObjectShape {
  const { properties = {}, required = [], additionalProperties: open = true } = node;
  const declared = Object.entries(properties).map(([name, property]) => ({
    name,
    schema: toSchema(property, mode, depth + 1),
    required: required.includes(name),
    default: mode === 'input' ? property.default : undefined,
    nullWhenOptional: mode === 'output',
  }));
  const undeclared = required
    .filter((name) => !Object.hasOwn(properties, name))
    .map((name) => ({
      name,
      schema: untyped(open),
      required: true,
      default: undefined,
      nullWhenOptional: false,
    }));
  return { properties: [...declared, ...undeclared], open, noun: 'property' };
}

/** The schema of a property that is required but not declared: any value, or none if the object is closed. */
function untyped(open: boolean): Schema {
  return toStep((value, report) => {
    if (!open) report('is required but not declared');
    return value as JsonValue;
  });
}
