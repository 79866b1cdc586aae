/** A URI template of RFC 6570 level 1: `literals[0] {variables[0]} literals[1] ...`. */
export interface UriTemplate {
  readonly literals: readonly string[];
  readonly variables: readonly string[];
}

/** A template, or the reason why the text is not one. */
type ParsedUri = { readonly template: UriTemplate } | { readonly problem: string; readonly fix: string };

const SCHEME = /^[A-Za-z][A-Za-z0-9+.-]*:/;
const VARIABLE = /^[\p{L}_][\p{L}\p{N}_]*$/u;
/** The characters that a URI may have outside of placeholders. */
const LITERAL = /^[A-Za-z0-9\-._~:/?#[\]@!$&'()*+,;=%]*$/;

/** Parses the `uri` of a resource. */
export function parseUriTemplate(text: string): ParsedUri {
  const parts = text.split(/\{([^{}]*)\}/);
  const literals = parts.filter((_, index) => index % 2 === 0);
  const variables = parts.filter((_, index) => index % 2 === 1);
  const problem = problemOf(literals, variables);
  return problem ?? { template: { literals, variables } };
}

function problemOf(literals: readonly string[], variables: readonly string[]): ParsedUri | null {
  if (!SCHEME.test(literals[0] ?? '')) {
    return {
      problem: 'does not begin with a scheme.',
      fix: 'Begin with one, such as `shop://customers/{id}`.',
    };
  }
  if (literals.some((literal) => !LITERAL.test(literal))) {
    return {
      problem: 'has a character that is not allowed in a URI.',
      fix: 'Close every { with }, and write other characters percent-encoded.',
    };
  }
  const odd = variables.find((name) => !VARIABLE.test(name));
  if (odd !== undefined) {
    return {
      problem: `has a placeholder {${odd.slice(0, 64)}}, which is not a valid parameter name.`,
      fix: 'Write {name}; operators such as {?name} are not supported.',
    };
  }
  const again = variables.find((name, index) => variables.indexOf(name) !== index);
  if (again !== undefined) {
    return { problem: `has {${again}} twice.`, fix: 'Give each placeholder a name of its own.' };
  }
  const touching = literals.slice(1, -1).some((literal) => literal === '');
  return touching
    ? {
        problem: 'has two placeholders with nothing between them.',
        fix: 'Put a character such as / between them.',
      }
    : null;
}

/** The template without its names. Templates that match the same URIs have equal shapes. */
export function toShape({ literals }: UriTemplate): string {
  return literals.join('{}');
}
