/** Licences that anybody may pass on with a notice. Each part of an expression must be one of them. */
const ALLOWED = ['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CC0-1.0', 'ISC', 'MIT', 'Unlicense'];

/** Whether each part of an SPDX expression is an allowed licence. */
export function isAllowed(expression: string): boolean {
  const parts = expression.replaceAll(/[()]/g, '').split(/ (?:AND|OR) /);
  return parts.every((part) => ALLOWED.includes(part));
}

interface Component {
  readonly name: string;
  readonly licenses?: readonly { readonly license?: { readonly id: string }; readonly expression?: string }[];
}

/** The components of a bill of materials (CycloneDX) whose licence is missing or not allowed. */
export function unallowedComponents(bom: string): readonly string[] {
  const { components } = JSON.parse(bom) as { readonly components: readonly Component[] };
  return components.flatMap(({ name, licenses = [] }) => {
    const stated = licenses.map(({ license, expression }) => license?.id ?? expression ?? 'none');
    return stated.length > 0 && stated.every(isAllowed) ? [] : [`${name}: ${stated.join(', ') || 'none'}`];
  });
}
