import type * as v from 'valibot';
import type { Files } from '../ports.ts';
import { checkParameters, checkTypeNode, type TypeIssue } from '../types/check.ts';
import type { Parameter, TypeNode } from '../types/node.ts';
import {
  BODIES,
  ENDPOINT_FILE,
  type PromptBody,
  type ResourceBody,
  type ToolBody,
} from './endpoint-schema.ts';
import type { Finding } from './finding.ts';
import { checkSchema, findingAt } from './issues.ts';
import type { Endpoint, EndpointFile, EndpointKind, Policies } from './model.ts';
import { checkPlaceholders } from './placeholders.ts';
import { loadSource } from './source.ts';
import type { YamlFile } from './yaml-file.ts';

/** An endpoint file and everything found in it. */
export interface LoadedEndpoint {
  readonly file: EndpointFile;
  readonly findings: readonly Finding[];
}

const KINDS: readonly EndpointKind[] = ['tool', 'resource', 'prompt'];
const NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,63}$/;

/** Checks one endpoint file of the folder for `kind`, and reads its source. */
export async function loadEndpoint(
  files: Files,
  yaml: YamlFile,
  kind: EndpointKind,
): Promise<LoadedEndpoint> {
  const at: EndpointFile['at'] = (path, what) => yaml.at([kind, ...path], what);
  const broken = (findings: readonly Finding[]) => ({
    file: { file: yaml.file, kind, endpoint: null, at },
    findings,
  });
  const root = checkSchema(yaml, [], ENDPOINT_FILE, yaml.value);
  if (!root.ok) return broken(root.findings);
  const misplaced = checkKind(yaml, root.value, kind);
  if (misplaced) return broken([misplaced]);
  const body = checkSchema<Body>(
    yaml,
    [kind],
    BODIES[kind] as v.GenericSchema<unknown, Body>,
    root.value[kind],
  );
  if (!body.ok) return broken(body.findings);
  const { endpoint, findings } = await toEndpoint(files, yaml, kind, body.value, root.value.metadata ?? {});
  const checked = endpoint ? [...findings, ...checkEndpoint(yaml, endpoint)] : findings;
  const sound = checked.every(({ severity }) => severity !== 'error');
  return { file: { file: yaml.file, kind, endpoint: sound ? endpoint : null, at }, findings: checked };
}

function checkKind(yaml: YamlFile, root: Record<string, unknown>, kind: EndpointKind): Finding | null {
  const found = KINDS.filter((name) => root[name] !== undefined);
  if (found.length === 1 && found[0] === kind) return null;
  const [other] = found;
  if (other === undefined) {
    return findingAt(yaml, [], {
      code: 'missing-field',
      message: `The file has no \`${kind}\`.`,
      fix: `Put the endpoint under \`${kind}:\`.`,
    });
  }
  if (found.length > 1) {
    return findingAt(yaml, [found[1] ?? other], {
      code: 'several-endpoints',
      message: `The file declares ${found.join(' and ')}.`,
      fix: 'Put each endpoint into a file of its own.',
      what: 'key',
    });
  }
  return findingAt(yaml, [other], {
    code: 'wrong-folder',
    message: `A ${other} stands in the folder for ${kind}s.`,
    fix: `Move the file to the folder for ${other}s.`,
    what: 'key',
  });
}

type Body = ToolBody | ResourceBody | PromptBody;

async function toEndpoint(
  files: Files,
  yaml: YamlFile,
  kind: EndpointKind,
  body: Body,
  outerMetadata: NonNullable<Body['metadata']>,
): Promise<{ endpoint: Endpoint | null; findings: readonly Finding[] }> {
  const common = { ...toCommon(yaml, body), metadata: { ...outerMetadata, ...body.metadata } };
  if ('messages' in body) {
    const messages = body.messages.map(({ role = 'user', type = 'text', prompt }) => ({
      role,
      type,
      prompt,
    }));
    return { endpoint: { ...common, kind: 'prompt', name: body.name, messages }, findings: [] };
  }
  const source = await loadSource(files, yaml, [kind], body);
  if (!source.ok) return { endpoint: null, findings: source.findings };
  const run = {
    returns: toType(body.return),
    source: source.value,
    limits: toPlain(body.limits ?? {}),
    mimeType: body.mime_type ?? null,
  };
  if ('uri' in body) {
    return {
      endpoint: { ...common, ...run, kind: 'resource', name: body.name ?? body.uri, uri: body.uri },
      findings: [],
    };
  }
  const annotations = toPlain(body.annotations ?? {});
  return {
    endpoint: {
      ...common,
      ...run,
      kind: 'tool',
      name: body.name,
      annotations,
      confirm: body.confirm ?? null,
    },
    findings: [],
  };
}

function toCommon(yaml: YamlFile, body: Body) {
  const { title, description } = body;
  return {
    file: yaml.file,
    ...(title === undefined ? {} : { title }),
    ...(description === undefined ? {} : { description }),
    tags: body.tags ?? [],
    icons: (body.icons ?? []).map((icon) => toPlain(icon)),
    scopes: body.scopes ?? [],
    enabled: body.enabled ?? true,
    parameters: (body.parameters ?? []).map((parameter) => toPlain(parameter) as Parameter),
    policies: toPolicies(body.policies),
    tests: (body.tests ?? []).map((test) => toPlain({ ...test, arguments: test.arguments ?? [] })),
  };
}

function toPolicies(policies: Body['policies']): Policies {
  const rules = (side: 'input' | 'output') => (policies?.[side] ?? []).map((rule) => toPlain(rule));
  return { input: rules('input'), output: rules('output') };
}

function toType(node: TypeNode | undefined): TypeNode | null {
  return node ?? null;
}

/** The same without keys whose value is undefined: absent and undefined are one thing in YAML. */
function toPlain<T extends object>(record: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(record).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}

function checkEndpoint(yaml: YamlFile, endpoint: Endpoint): readonly Finding[] {
  const { kind } = endpoint;
  const toFinding = ({ path, message, fix }: TypeIssue) =>
    findingAt(yaml, path, { code: 'type', message, fix });
  const returns = endpoint.kind === 'prompt' ? null : endpoint.returns;
  return [
    ...checkName(yaml, endpoint),
    ...checkParameters(endpoint.parameters, [kind, 'parameters']).map(toFinding),
    ...(returns ? checkTypeNode(returns, [kind, 'return']).map(toFinding) : []),
    ...(endpoint.kind === 'resource' ? checkPlaceholders(yaml, endpoint) : []),
    ...checkTests(yaml, endpoint),
  ];
}

function checkName(yaml: YamlFile, { kind, name }: Endpoint): readonly Finding[] {
  if (kind === 'resource' || NAME.test(name)) return [];
  return [
    findingAt(yaml, [kind, 'name'], {
      code: 'name',
      message: `${JSON.stringify(name.slice(0, 80))} cannot be the name of a ${kind}.`,
      fix: 'Use 1 to 64 letters, digits, `_`, `.` and `-`, beginning with a letter or `_`.',
    }),
  ];
}

function checkTests(yaml: YamlFile, { kind, tests, parameters }: Endpoint): readonly Finding[] {
  const names = parameters.map(({ name }) => name);
  return tests.flatMap((test, index) =>
    test.arguments.flatMap(({ key }, position) =>
      names.includes(key)
        ? []
        : [
            findingAt(yaml, [kind, 'tests', index, 'arguments', position, 'key'], {
              code: 'test-argument',
              message: `This test passes \`${key}\`, which is not declared under \`parameters\`.`,
              fix: names.length > 0 ? `The parameters are ${names.join(', ')}.` : 'Declare it, or remove it.',
            }),
          ],
    ),
  );
}
