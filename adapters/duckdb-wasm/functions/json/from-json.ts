import type { Binding } from '../binding.ts';
import { rowError, type SqlFunction } from '../scalar-function.ts';
import { columnOf, inputOf } from '../vector.ts';
import { withStructure } from './structure.ts';
import { withWorkspace } from './temporary-vectors.ts';
import type { JsonKit } from './to-json.ts';
import { transform } from './transform.ts';
import type { Strictness } from './transform-target.ts';

/** The functions that convert JSON to typed values by a constant structure. */
export function fromFunctions(kit: JsonKit): readonly SqlFunction[] {
  const named = (name: string, strict: boolean): SqlFunction => ({
    name,
    overloads: (['VARCHAR', 'JSON'] as const).map((source) => ({
      takes: [source, 'VARCHAR'],
      returns: 'ANY',
      bind: (binding) => bindStructure(kit, binding),
      run(chunk, output) {
        const count = kit.instance.call.duckdb_data_chunk_get_size(chunk);
        const strictness = { strict, unknownNames: false };
        const problem = fromVector(kit, columnOf(kit.instance, chunk, 0), output, { count, strictness });
        if (problem !== null) throw rowError(problem);
      },
    })),
  });
  return [
    named('from_json', false),
    named('json_transform', false),
    named('from_json_strict', true),
    named('json_transform_strict', true),
  ];
}

function bindStructure(kit: JsonKit, binding: Binding): void {
  const structure = binding.constant(1);
  if (structure === undefined) throw rowError('JSON structure must be a constant!');
  if (structure === null) binding.returns('SQLNULL');
  else withStructure(kit, structure, binding.context, (type) => binding.returns(type));
}

/** Converts the JSON in a vector to the type of another; with `strict` returns what did not fit. */
export function fromVector(
  { instance, json, types }: JsonKit,
  source: number,
  target: number,
  { count, strictness }: { readonly count: number; readonly strictness: Strictness },
): string | null {
  const input = inputOf(instance, source);
  const texts = Array.from({ length: count }, (_, row) => (input.isNull(row) ? null : input.bytes(row)));
  return withWorkspace(instance, types, (workspace) =>
    json.readAll(texts, (values) => {
      const kit = { instance, json, types, workspace, ...strictness, problem: null as string | null };
      transform(kit, values, target);
      return kit.problem;
    }),
  );
}
