import type { Path } from '../../project/yaml/position.ts';
import type { Parameter, TypeNode } from '../../types/node.ts';
import { hasDefault } from '../../types/nullable.ts';
import type { Remark } from './rule.ts';

/** Reports missing texts of a parameter, which a model needs to fill it in. */
export function lintParameter(parameter: Parameter, path: Path): readonly Remark[] {
  const { name } = parameter;
  return [
    ...(isBlank(parameter.description)
      ? [
          {
            severity: 'error' as const,
            code: 'parameter-description',
            path,
            message: `The parameter ${name} has no description, so a model has to guess its meaning.`,
            fix: 'Describe its meaning, with its unit or form, under `description`.',
          },
        ]
      : []),
    ...(hasExamples(parameter)
      ? []
      : [
          {
            severity: 'info' as const,
            code: 'parameter-examples',
            path,
            message: `The parameter ${name} has no examples.`,
            fix: 'Give one or two real values in `examples`.',
          },
        ]),
    ...(hasDefault(parameter)
      ? []
      : [
          {
            severity: 'info' as const,
            code: 'parameter-default',
            path,
            message: `The parameter ${name} has no default, so every call must send it.`,
            fix: 'Add `default` if a call without it makes sense; `default: null` makes it optional.',
          },
        ]),
  ];
}

/** An enum and a boolean show their values already. */
function hasExamples({ examples = [], enum: allowed, type }: TypeNode): boolean {
  return examples.length > 0 || allowed !== undefined || type === 'boolean';
}

/** Reports the parts of a result without a description, each once. */
export function lintReturn(node: TypeNode, path: Path, what = 'The `return` type'): readonly Remark[] {
  const own: readonly Remark[] = isBlank(node.description)
    ? [
        {
          severity: 'warning',
          code: 'return-description',
          path,
          message: `${what} has no description.`,
          fix: 'Describe its content under `description`.',
        },
      ]
    : [];
  const items = node.items ? lintReturn(node.items, [...path, 'items'], itemsOf(path)) : [];
  const properties = Object.entries(node.properties ?? {}).flatMap(([name, property]) =>
    lintReturn(property, [...path, 'properties', name], `The property ${name} of the result`),
  );
  return [...own, ...items, ...properties];
}

function itemsOf(path: Path): string {
  const name = path.at(-2) === 'properties' ? ` of ${path.at(-1)}` : '';
  return `The type of the items${name}`;
}

/** Whether a text is missing or blank. */
export function isBlank(text: string | undefined): boolean {
  return text === undefined || text.trim() === '';
}
