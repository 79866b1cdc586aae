import { isObject } from '../../json.ts';
import type { SourceIssue } from '../issue.ts';
import { ENDPOINT_KINDS, type EndpointKind } from '../model.ts';
import { problemAt } from '../schema/issues.ts';
import type { YamlFile } from '../yaml/yaml.ts';

/** The kind of a file's one endpoint, or the issues that prevent an answer. */
export type FoundKind = { readonly kind: EndpointKind } | { readonly problems: readonly SourceIssue[] };

/** Expects exactly one of `tool`, `resource` and `prompt`, and a kind that the file's folder allows. */
export function findKind(yaml: YamlFile, allowed: readonly EndpointKind[]): FoundKind {
  const { value } = yaml;
  // The schema reports a file that is not a map.
  if (!isObject(value)) return { problems: [] };
  const [kind, second] = ENDPOINT_KINDS.filter((name) => Object.hasOwn(value, name));
  if (kind === undefined) return { problems: [missing(yaml, allowed)] };
  if (second !== undefined) return { problems: [extra(yaml, kind, second)] };
  if (value[kind] === null) return { problems: [empty(yaml, kind)] };
  return allowed.includes(kind) ? { kind } : { problems: [misplaced(yaml, kind, allowed)] };
}

function missing(yaml: YamlFile, allowed: readonly EndpointKind[]): SourceIssue {
  const keys = allowed.map((kind) => `\`${kind}\``).join(' or ');
  return problemAt(yaml, [], {
    code: 'missing-field',
    message: `has no ${keys}.`,
    fix: `Put everything about the ${allowed[0] ?? 'tool'} below a key \`${allowed[0] ?? 'tool'}:\`.`,
  });
}

function extra(yaml: YamlFile, kind: EndpointKind, second: EndpointKind): SourceIssue {
  return problemAt(yaml, [second], {
    code: 'several-endpoints',
    message: `is a second endpoint beside \`${kind}\`, and a file holds one.`,
    fix: 'Move it to a file of its own.',
    ...keyPosition(yaml, second),
  });
}

function empty(yaml: YamlFile, kind: EndpointKind): SourceIssue {
  return problemAt(yaml, [kind], {
    code: 'missing-field',
    message: 'has nothing below it.',
    fix: `Indent everything about the ${kind} below \`${kind}:\`.`,
    ...keyPosition(yaml, kind),
  });
}

function misplaced(yaml: YamlFile, kind: EndpointKind, allowed: readonly EndpointKind[]): SourceIssue {
  return problemAt(yaml, [kind], {
    code: 'misplaced',
    message: `is in a folder for ${allowed.map((name) => `${name}s`).join(' and ')}.`,
    fix: `Move the file to the folder for ${kind}s.`,
    ...keyPosition(yaml, kind),
  });
}

function keyPosition({ keys }: YamlFile, kind: EndpointKind): Partial<SourceIssue> {
  const position = keys[`/${kind}`];
  return position ? { position } : {};
}
