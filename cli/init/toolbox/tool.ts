import { isList, isObject, type JsonObject, type JsonValue } from '../../../src/json.ts';
import type { PolicyRule } from '../../../src/project/model.ts';
import { classify } from '../../../src/sql/statement.ts';
import { type ConvertedParameter, convertParameter } from './parameter.ts';
import type { ToolboxItem } from './read.ts';
import type { AttachedSource, Unconverted } from './source.ts';
import { differencesOf, nameParameters, toStandardQuotes } from './statement.ts';

/** A tool of MCP Toolbox as an endpoint file. */
interface ConvertedTool {
  readonly name: string;
  readonly file: JsonObject;
  /** Whether its statement writes. */
  readonly writes: boolean;
  readonly remarks: readonly string[];
}

/** The facts that a tool needs from the rest of its file. */
interface ToolSurroundings {
  /** Undefined for a source that is not converted. */
  readonly source: AttachedSource | undefined;
  readonly tags: readonly string[];
}

const KEYS = new Set([
  'name',
  'type',
  'kind',
  'source',
  'description',
  'statement',
  'parameters',
  'templateParameters',
  'authRequired',
  'scopesRequired',
  'annotations',
  'maxRows',
  'maxResponseBytes',
]);
const HINTS = ['title', 'readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];

/** Converts a tool, or names the reason why it cannot be one. */
export function convertTool(
  { name, type, value }: ToolboxItem,
  { source, tags }: ToolSurroundings,
): ConvertedTool | Unconverted {
  const { statement, templateParameters, parameters } = value;
  if (/-(execute-sql|list-tables|list-schemas|describe-table)$/.test(type)) return { reason: OWN_TOOLS };
  if (source === undefined) return { reason: `Its source ${String(value.source)} is not converted.` };
  if (!source.tools.includes(type)) {
    return { reason: `A tool of the type ${type} does more than one SQL statement of its source.` };
  }
  const scalar = ['authRequired', 'scopesRequired'].find((key) => !isList(value[key] ?? []));
  if (scalar !== undefined) return { reason: `Its \`${scalar}\` is not a list.` };
  if (typeof statement !== 'string') return { reason: 'It has no `statement`.' };
  if ((isList(templateParameters) && templateParameters.length > 0) || statement.includes('{{')) {
    return { reason: TEMPLATES };
  }
  const converted: ConvertedParameter[] = [];
  for (const one of isList(parameters) ? parameters : []) {
    const parameter = convertParameter(one);
    if ('refused' in parameter) return { reason: parameter.refused };
    converted.push(parameter);
  }
  const sqlOf = new Map(converted.map((one) => [one.name, one.sql]));
  const named = nameParameters(
    type === 'mysql-sql' ? toStandardQuotes(statement) : statement,
    converted.map((one) => one.name),
    (own) => sqlOf.get(own) ?? '',
  );
  if ('reason' in named) return named;
  const tool = toTool({ name, value, tags, converted, sql: named.sql, used: named.used });
  return { ...tool, remarks: [...tool.remarks, ...differencesOf(type, statement)] };
}

const OWN_TOOLS =
  'svc has tools of its own for callers who write SQL: `sql_tools: { enabled: true, attached: true }` in svc-site.yml.';
const TEMPLATES =
  'Its `templateParameters` put text of the caller into the SQL. svc binds values only: write one tool for each table, or choose columns with CASE.';

interface Parts {
  readonly name: string;
  readonly value: JsonObject;
  readonly tags: readonly string[];
  readonly converted: readonly ConvertedParameter[];
  readonly sql: string;
  readonly used: ReadonlySet<string>;
}

function toTool({ name: written, value, tags, converted, sql, used }: Parts): ConvertedTool {
  const name = toToolName(written);
  const sent = converted.filter(({ parameter }) => parameter !== null);
  const copied = new Set(converted.flatMap(({ parameter, sql: text }) => (parameter === null ? text : [])));
  const unused = sent.filter((one) => !used.has(one.name) && !copied.has(one.sql));
  const kept = sent.filter((one) => !unused.includes(one));
  const { description, authRequired, scopesRequired, annotations, maxRows, maxResponseBytes } = value;
  const signedIn = (isList(authRequired) && authRequired.length > 0) || asksCaller(value);
  const rules = [...(signedIn ? [SIGN_IN] : []), ...kept.flatMap(({ rules: own }) => own)];
  const { hints, remarks } = hintsOf(annotations);
  const limits = {
    ...(typeof maxRows === 'number' ? { rows: maxRows } : {}),
    ...(typeof maxResponseBytes === 'number' ? { bytes: Math.max(1_024, maxResponseBytes) } : {}),
  };
  const scopes = isList(scopesRequired) ? scopesRequired : [];
  const tool: JsonObject = {
    name,
    ...(typeof description === 'string' ? { description: description.trim() } : {}),
    ...(tags.length > 0 ? { tags } : {}),
    ...(scopes.length > 0 ? { scopes } : {}),
    ...(kept.length > 0 ? { parameters: kept.flatMap(({ parameter }) => parameter ?? []) } : {}),
    ...(Object.keys(hints).length > 0 ? { annotations: hints } : {}),
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
    ...(rules.length > 0 ? { policies: { input: rules.map((rule) => ({ ...rule })) } } : {}),
    source: { code: `${sql}\n` },
  };
  return {
    name,
    file: { svc: 1, tool },
    writes: classify(sql).mode === 'write',
    remarks: [
      ...(name === written ? [] : [`The tool is now named ${name}.`]),
      ...Object.keys(value)
        .filter((key) => !KEYS.has(key))
        .map((key) => `\`${key}\` has no counterpart.`),
      ...unused.map((one) => `The statement does not use the parameter ${one.name}, so it is left out.`),
      ...(signedIn ? ['Only signed-in callers may call it. Set up sign-in: docs/how-to/auth-setup.md.'] : []),
      ...(scopes.length > 0 ? ['Nobody holds its scopes until `auth.grants` gives them.'] : []),
      ...remarks,
      ...converted.flatMap((one) => one.remarks),
    ],
  };
}

const SIGN_IN: PolicyRule = {
  condition: "user.role == 'anonymous'",
  action: 'deny',
  reason: 'Sign in first',
};

/** Whether a parameter is a claim of the caller. */
function asksCaller({ parameters }: JsonObject): boolean {
  const listed = isList(parameters) ? parameters : [];
  return listed.some((one) => isObject(one) && isList(one.authServices) && one.authServices.length > 0);
}

function hintsOf(annotations: JsonValue | undefined) {
  const entries = Object.entries(isObject(annotations) ? annotations : {});
  return {
    hints: Object.fromEntries(entries.filter(([key]) => HINTS.includes(key))),
    remarks: entries
      .filter(([key]) => !HINTS.includes(key))
      .map(([key]) => `\`annotations.${key}\` has no counterpart.`),
  };
}

/** A name that svc takes: 64 characters at most, a letter or `_` first. */
export function toToolName(name: string): string {
  return name
    .replaceAll(/[^\w.-]+/g, '_')
    .replace(/^(?![A-Za-z_])/, '_')
    .slice(0, 64);
}
