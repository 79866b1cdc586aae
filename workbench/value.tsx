import type { JsonValue } from '../cli/workbench/model.ts';
import { isObject } from './schema.ts';
import { Pre, Scroll } from './scroll.tsx';

const MOST_ROWS = 200;

/** A value as a table: one row for each object of a list, or one for each field of an object. */
export function ValueTable({ value, label }: { readonly value: JsonValue; readonly label: string }) {
  if (Array.isArray(value) && value.length > 0 && value.every(isObject)) {
    const columns = [...new Set(value.flatMap((row) => Object.keys(row)))];
    return (
      <>
        <Scroll label={label}>
          <table>
            <thead>
              <tr>
                {columns.map((name) => (
                  <th key={name}>{name}</th>
                ))}
              </tr>
            </thead>
            <tbody>
              {value.slice(0, MOST_ROWS).map((row, index) => (
                <tr key={index}>
                  {columns.map((name) => (
                    <td key={name} class={typeof row[name] === 'number' ? 'number' : ''}>
                      {toText(row[name])}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
        </Scroll>
        {value.length > MOST_ROWS ? (
          <p class="dim">
            The first {MOST_ROWS} of {value.length} rows. JSON shows all.
          </p>
        ) : null}
      </>
    );
  }
  if (!isObject(value)) return <Pre>{toText(value)}</Pre>;
  return (
    <Scroll label={label}>
      <table>
        <tbody>
          {flatten(value).map(([path, one]) => (
            <tr key={path}>
              <th scope="row">{path}</th>
              <td>{toText(one)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  );
}

/** A value on one line. */
export function toText(value: JsonValue | undefined): string {
  if (value === undefined) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** The fields of a value with their paths, e.g. `address.city` and `rows[0].id`. */
export function flatten(value: JsonValue, path = ''): readonly (readonly [string, JsonValue])[] {
  if (isObject(value) && Object.keys(value).length > 0) {
    return Object.entries(value).flatMap(([key, one]) => flatten(one, path === '' ? key : `${path}.${key}`));
  }
  if (Array.isArray(value) && value.length > 0)
    return value.flatMap((one, index) => flatten(one, `${path}[${index}]`));
  return [[path, value]];
}

/** JSON with line breaks. */
export function Json({ value }: { readonly value: JsonValue }) {
  return <Pre>{JSON.stringify(value, null, 2)}</Pre>;
}
