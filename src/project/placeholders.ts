import type { Finding } from './finding.ts';
import { findingAt } from './issues.ts';
import type { ResourceEndpoint } from './model.ts';
import type { YamlFile } from './yaml-file.ts';

/** The names in a URI template's `{name}` placeholders, in order (RFC 6570, level 1). */
export function placeholdersOf(uri: string): readonly string[] {
  return [...uri.matchAll(/\{([^{}]*)\}/g)].map(([, name]) => name ?? '');
}

/** Checks a resource's URI: a scheme, level 1 placeholders, and each of them a parameter and the reverse. */
export function checkPlaceholders(yaml: YamlFile, { uri, parameters }: ResourceEndpoint): readonly Finding[] {
  const path = ['resource', 'uri'];
  const names = placeholdersOf(uri);
  const declared = parameters.map(({ name }) => name);
  const problem = (code: string, message: string, fix: string, at: readonly (string | number)[] = path) =>
    findingAt(yaml, at, { code, message, fix });
  const form = checkForm(uri, names);
  if (form) return [problem('uri', form.message, form.fix)];
  const undeclared = names.filter((name) => !declared.includes(name));
  const unused = declared.filter((name) => !names.includes(name));
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  return [
    ...undeclared.map((name) =>
      problem(
        'uri',
        `The URI has {${name}}, which is not declared under \`parameters\`.`,
        `Declare \`${name}\`.`,
      ),
    ),
    ...twice.map((name) =>
      problem('uri', `The URI has {${name}} twice.`, 'Give each placeholder a name of its own.'),
    ),
    ...unused.map((name) =>
      problem(
        'uri',
        `\`${name}\` is declared but not in the URI, so a client cannot pass it.`,
        `Add {${name}} to the URI, or remove the parameter.`,
        ['resource', 'parameters', declared.indexOf(name)],
      ),
    ),
  ];
}

function checkForm(uri: string, names: readonly string[]): { message: string; fix: string } | null {
  if (!/^[A-Za-z][A-Za-z0-9+.-]*:./.test(uri)) {
    return { message: 'The URI has no scheme.', fix: 'Begin it with one, such as `data://`.' };
  }
  if (/[{}]/.test(uri.replace(/\{[^{}]*\}/g, ''))) {
    return { message: 'A brace of the URI is not closed.', fix: 'Write placeholders as {name}.' };
  }
  const odd = names.find((name) => !/^[\p{L}_][\p{L}\p{N}_]*$/u.test(name));
  if (odd === undefined) return null;
  return {
    message: `{${odd}} is not a plain placeholder.`,
    fix: 'Write {name}: operators and lists (RFC 6570, level 2 and up) are not taken.',
  };
}
