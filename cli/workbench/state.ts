import { needsSignIn } from '../../adapters/artefact/auth.ts';
import type { Catalog } from '../../src/catalog/model.ts';
import type { JsonObject } from '../../src/json.ts';
import type { Finding } from '../../src/project/finding.ts';
import type { Endpoint, EndpointFile } from '../../src/project/model.ts';
import { SITE_NAME } from '../../src/project/site.ts';
import { lintProject } from '../../src/quality/lint/lint.ts';
import { estimateTokens } from '../../src/quality/lint/token-bill.ts';
import { policyMatrix } from '../../src/quality/matrix/matrix.ts';
import { checkPolicyReach } from '../../src/quality/policy-reach.ts';
import { toInputSchema } from '../../src/types/schema.ts';
import { VERSION } from '../../src/version.ts';
import { createFrames } from '../io/findings.ts';
import { soundPart } from '../project/project.ts';
import { checkPythonFiles } from '../project/python-checks.ts';
import type { Started } from '../serve/start.ts';
import type { EndpointCard, WorkbenchState } from './model.ts';
import { workbenchUsers } from './users.ts';

/** Describes the project as it is served now. */
export async function toState(started: Started, authoring: boolean): Promise<WorkbenchState> {
  const { looked, settings, runtime } = started;
  const { project } = looked;
  const sound = soundPart(looked).endpoints;
  const enabled = sound.flatMap(({ endpoint }) => (endpoint?.enabled ? [endpoint] : []));
  const users = workbenchUsers(started);
  const findings = await findingsOf(started);
  const frameOf = createFrames(project.root, findings);
  return {
    project: settings.project,
    profile: settings.profile,
    version: VERSION,
    hash: runtime.catalog.hash,
    authoring,
    signIn: needsSignIn(settings),
    endpoints: [
      ...project.endpoints.map((file) => toCard(file, runtime.catalog, authoring)),
      ...builtInCards(runtime.catalog, project.endpoints),
    ],
    users: users.map(({ name, context }) => ({ name, context })),
    matrix: policyMatrix(enabled, users, settings.auth.required_scopes ?? []),
    findings: findings.map((finding) => ({ ...finding, frame: frameOf(finding) })),
  };
}

/** The findings of `svc validate` that need no database of their own, and those of `svc lint`. */
async function findingsOf({ looked }: Started): Promise<readonly Finding[]> {
  const { endpoints } = soundPart(looked);
  const python = await checkPythonFiles(looked);
  const reach = await checkPolicyReach(endpoints);
  const found = [...looked.findings, ...reach, ...python, ...lintProject(endpoints)];
  const rank = ['error', 'warning', 'info'];
  return found.toSorted((one, other) => rank.indexOf(one.severity) - rank.indexOf(other.severity));
}

function toCard({ file, kind, endpoint }: EndpointFile, catalog: Catalog, authoring: boolean): EndpointCard {
  if (endpoint === null) {
    const name = file.slice(file.lastIndexOf('/') + 1).replace(/\.ya?ml$/, '');
    return { ...NOTHING, id: `${kind}/${name}`, kind, name, file };
  }
  const name = endpoint.kind === 'resource' ? endpoint.uri : endpoint.name;
  const wire = wireOf(endpoint, catalog);
  const source = endpoint.kind === 'prompt' ? null : endpoint.source;
  return {
    id: `${kind}/${endpoint.name}`,
    kind,
    name,
    title: endpoint.title ?? null,
    description: endpoint.description ?? null,
    file,
    tags: endpoint.tags,
    scopes: endpoint.scopes,
    served: wire !== null,
    view: kind === 'tool' ? (catalog.tools[endpoint.name]?.view ?? null) : null,
    enabled: endpoint.enabled,
    schema: toInputSchema(endpoint.parameters),
    example: exampleOf(endpoint),
    tests: endpoint.tests.map((test) => test.name),
    tokens: wire === null ? 0 : estimateTokens(JSON.stringify(wire)),
    source: authoring && source !== null ? { language: source.language, text: source.text } : null,
  };
}

/** The SQL tools of the site file, which no endpoint file declares. */
function builtInCards({ tools }: Catalog, files: readonly EndpointFile[]): readonly EndpointCard[] {
  const declared = new Set(files.flatMap(({ endpoint }) => endpoint?.name ?? []));
  return Object.values(tools)
    .filter(({ name }) => !declared.has(name))
    .map(({ name, wire, parameters, scopes = [] }) => ({
      ...NOTHING,
      id: `tool/${name}`,
      kind: 'tool',
      name,
      description: typeof wire.description === 'string' ? wire.description : null,
      file: SITE_NAME,
      scopes,
      served: true,
      schema: toInputSchema(parameters),
      tokens: estimateTokens(JSON.stringify(wire)),
    }));
}

const NOTHING = {
  title: null,
  description: null,
  tags: [],
  scopes: [],
  served: false,
  view: null,
  enabled: true,
  schema: {},
  example: null,
  tests: [],
  tokens: 0,
  source: null,
};

function wireOf(endpoint: Endpoint, { tools, resources, prompts }: Catalog): JsonObject | null {
  const { kind, name } = endpoint;
  const entry = kind === 'tool' ? tools[name] : kind === 'prompt' ? prompts[name] : resources[endpoint.uri];
  return entry?.wire ?? null;
}

function exampleOf({ tests }: Endpoint): JsonObject | null {
  const good = tests.find((test) => test.denied !== true && test.error_contains === undefined);
  return good ? Object.fromEntries(good.arguments.map(({ key, value }) => [key, value])) : null;
}
