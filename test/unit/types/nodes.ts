import type { JsonValue } from '../../../src/json.ts';
import { FORMAT_NAMES, type TypeNode } from '../../../src/types/node.ts';
import type { Random } from './random.ts';

const TEXTS = [
  '',
  'a',
  'abc',
  '5',
  '2.5',
  'true',
  '[1]',
  '{"a":1}',
  '😀😀',
  '2024-02-29',
  '2024-02-30',
  '10:00:00',
  'P1D',
];
const MORE = [
  'a@b.ch',
  'https://example.org/',
  '2024-02-29T10:00:00Z',
  '2024-02-29T10:00:00',
  '1700000000',
  '9007199254740993',
];
const NUMBERS = [0, 1, -1, 2, 0.5, 0.3, 0.35, 7, 100, -2.5, 9007199254740991];
const NAMES = ['a', 'b', 'c', 'odd key'];

/** A random type that does not contradict itself on purpose. */
export function randomNode(random: Random, depth = 3): TypeNode {
  const type = random.pick(
    depth > 0
      ? (['string', 'number', 'integer', 'boolean', 'array', 'object'] as const)
      : (['string', 'integer'] as const),
  );
  const extra = random.chance(0.15) ? { nullable: true } : {};
  const texts = random.chance(0.2) ? { title: 'T', description: 'D' } : {};
  return { type, ...extra, ...texts, ...constraints(random, type, depth) };
}

function constraints(random: Random, type: TypeNode['type'], depth: number): Omit<TypeNode, 'type'> {
  const some = <T extends object>(share: number, make: () => T): T | object =>
    random.chance(share) ? make() : {};
  switch (type) {
    case 'string':
      return {
        ...some(0.2, () => ({ format: random.pick(FORMAT_NAMES) })),
        ...some(0.2, () => ({ minLength: random.below(3) })),
        ...some(0.2, () => ({ maxLength: 2 + random.below(20) })),
        ...some(0.1, () => ({ pattern: random.pick(['^[a-z]*$', '\\d', '^.{1,5}$']) })),
        ...some(0.1, () => ({ enum: ['a', 'abc', '5'] })),
      };
    case 'number':
    case 'integer':
      return {
        ...some(0.2, () => ({ minimum: -random.below(3) })),
        ...some(0.2, () => ({ maximum: 1 + random.below(100) })),
        ...some(0.1, () => ({ exclusiveMinimum: -3 })),
        ...some(0.1, () => ({ exclusiveMaximum: 200 })),
        ...some(0.2, () => ({
          multipleOf: type === 'integer' ? 1 + random.below(3) : random.pick([0.5, 0.25, 2]),
        })),
        ...some(0.1, () => ({ enum: [0, 1, 7] })),
      };
    case 'array':
      return {
        ...some(0.7, () => ({ items: randomNode(random, depth - 1) })),
        ...some(0.2, () => ({ minItems: random.below(3) })),
        ...some(0.2, () => ({ maxItems: 2 + random.below(4) })),
        ...some(0.2, () => ({ uniqueItems: true })),
      };
    case 'object':
      return objectParts(random, depth);
    default:
      return {};
  }
}

function objectParts(random: Random, depth: number): Omit<TypeNode, 'type'> {
  const names = NAMES.filter(() => random.chance(0.4));
  const properties = Object.fromEntries(names.map((name) => [name, randomNode(random, depth - 1)]));
  return {
    ...(random.chance(0.9) ? { properties } : {}),
    ...(random.chance(0.5) ? { required: names.filter(() => random.chance(0.5)) } : {}),
    ...(random.chance(0.3) ? { additionalProperties: random.chance(0.5) } : {}),
  };
}

/** A random JSON value, often one that fits a type and often one that nearly does. */
export function randomValue(random: Random, node: TypeNode | null, depth = 4): JsonValue {
  if (node === null || random.chance(0.04)) return anything(random, depth);
  if (random.chance(0.05)) return null;
  if (node.enum && random.chance(0.6)) return random.pick(node.enum);
  switch (node.type) {
    case 'string':
      return random.pick([...TEXTS, ...MORE]);
    case 'number':
      return random.pick(NUMBERS);
    case 'integer':
      return random.pick(NUMBERS.filter(Number.isInteger));
    case 'boolean':
      return random.chance(0.5);
    case 'array':
      return random.list(4, () => randomValue(random, node.items ?? null, depth - 1));
    case 'object': {
      const names = [...Object.keys(node.properties ?? {}), ...random.list(1, () => random.pick(NAMES))];
      const present = names.filter((name) => node.required?.includes(name) || random.chance(0.7));
      return Object.fromEntries(
        present.map((name) => [name, randomValue(random, node.properties?.[name] ?? null, depth - 1)]),
      );
    }
  }
}

function anything(random: Random, depth: number): JsonValue {
  const kind = random.below(depth > 0 ? 6 : 4);
  if (kind === 0) return null;
  if (kind === 1) return random.chance(0.5);
  if (kind === 2) return random.pick(NUMBERS);
  if (kind === 3) return random.pick([...TEXTS, ...MORE]);
  if (kind === 4) return random.list(3, () => anything(random, depth - 1));
  return Object.fromEntries(random.list(3, () => [random.pick(NAMES), anything(random, depth - 1)]));
}
