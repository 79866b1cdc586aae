import type { Loader } from '../extension-loader.ts';
import type { SqlFunction } from '../scalar-function.ts';
import { readFunctions } from './extract.ts';
import { fromFunctions } from './from-json.ts';
import { createFunctions, type JsonKit } from './to-json.ts';
import { wholeFunctions } from './whole-document.ts';

/** The functions of JSON that DuckDB keeps in an extension this engine lacks. */
export function jsonFunctions(kit: JsonKit): readonly SqlFunction[] {
  return [...readFunctions(kit), ...createFunctions(kit), ...fromFunctions(kit), ...wholeFunctions(kit)];
}

const nullOr = (value: string): string =>
  `CASE WHEN ${value} IS NULL THEN 'null'::JSON ELSE to_json(${value}) END`;

const KEY =
  "CASE WHEN n IS NULL THEN error('json_group_object key cannot be NULL') ELSE to_json(n::VARCHAR) END";

/** Functions that are macros: name, parameters, body. */
const MACROS: readonly (readonly [name: string, parameters: readonly string[], body: string])[] = [
  ['json_group_array', ['x'], `CAST('[' || string_agg(${nullOr('x')}, ',') || ']' AS JSON)`],
  [
    'json_group_object',
    ['n', 'v'],
    `CAST('{' || string_agg(${KEY} || ':' || ${nullOr('v')}, ',') || '}' AS JSON)`,
  ],
  ['json', ['x'], "json_extract(x, '$')"],
];

/** Registers the functions that are macros. */
export function registerMacros(loader: Loader): void {
  for (const [name, parameters, body] of MACROS) loader.macro(name, parameters, body);
}
