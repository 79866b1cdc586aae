import { type JsonValue, tryJson } from '../../../src/json.ts';

/** The texts of a JSON document, which stay, and the numbers that JSON does not have. */
const TEXT_OR_NUMBER = /"[^"\\]*(?:\\.[^"\\]*)*"|-?(?:Infinity|NaN)/g;

/**
 * Parses the answer of `json_serialize_sql` or `json_serialize_plan`. DuckDB writes a number beyond DOUBLE, such as
 * `1e309`, as Infinity, which becomes null here. Returns undefined for a text that is not JSON.
 */
export function parseSerialized(text: string): JsonValue | undefined {
  const withoutNumbers = () => text.replace(TEXT_OR_NUMBER, (found) => (found[0] === '"' ? found : 'null'));
  return tryJson(text) ?? tryJson(withoutNumbers());
}
