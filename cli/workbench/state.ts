import type { Catalog } from '../../src/catalog/model.ts';
import { textColumns } from '../../src/catalog/view.ts';
import type { User } from '../../src/context.ts';
import { SvcError } from '../../src/errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../../src/json.ts';
import type { Finding } from '../../src/project/finding.ts';
import type { Endpoint, EndpointFile, Project } from '../../src/project/model.ts';
import { SITE_NAME } from '../../src/project/site-model.ts';
import { lintProject } from '../../src/quality/lint/lint.ts';
import { estimateTokens } from '../../src/quality/lint/token-bill.ts';
import {
  declaredContexts,
  type MatrixUser,
  policyMatrix,
  toKeyUsers,
  toMatrixUsers,
} from '../../src/quality/matrix/matrix.ts';
import { checkPolicyReach } from '../../src/quality/policy-reach.ts';
import { parseUserContext } from '../../src/quality/user.ts';
import { signInOf } from '../../src/settings/sign-in.ts';
import { toInputSchema } from '../../src/types/schema.ts';
import { VERSION } from '../../src/version.ts';
import { createFrames } from '../io/findings.ts';
import { soundPart } from '../project/project.ts';
import { checkPythonFiles } from '../project/python-checks.ts';
import type { RunningProject } from '../project/running.ts';
import type { EndpointCard, WorkbenchState } from './model.ts';

/** Describes the project as it is served now. */
export async function toState(running: RunningProject, authoring: boolean): Promise<WorkbenchState> {
  const { looked, settings, runtime } = running;
  const { project } = looked;
  const sound = soundPart(looked).endpoints;
  const enabled = sound.flatMap(({ endpoint }) => (endpoint?.enabled ? [endpoint] : []));
  const users = workbenchUsers(running);
  const findings = await findingsOf(running);
  const frameOf = createFrames(project.root, findings);
  return {
    project: settings.project,
    profile: settings.profile,
    version: VERSION,
    hash: runtime.catalog.hash,
    authoring,
    signIn: signInOf(settings.auth) !== null,
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
async function findingsOf({ looked }: RunningProject): Promise<readonly Finding[]> {
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
  const wire = endpoint.enabled ? wireOf(endpoint, catalog) : null;
  const source = endpoint.kind === 'prompt' ? null : endpoint.source;
  return {
    id: cardIdOf(file, endpoint),
    kind,
    name,
    title: endpoint.title ?? null,
    description: endpoint.description ?? null,
    file,
    tags: endpoint.tags,
    scopes: endpoint.scopes,
    served: wire !== null,
    view: wire !== null && kind === 'tool' ? (catalog.tools[endpoint.name]?.view ?? null) : null,
    texts: endpoint.kind === 'prompt' ? [] : textColumns(endpoint.returns),
    enabled: endpoint.enabled,
    schema: toInputSchema(endpoint.parameters),
    example: exampleOf(endpoint),
    tests: endpoint.tests.map((test) => test.name),
    tokens: wire === null ? 0 : estimateTokens(JSON.stringify(wire)),
    source: authoring && source !== null ? { language: source.language, text: source.text } : null,
  };
}

/** The id of a card. A disabled endpoint has the path of its file, because another file may serve its name. */
function cardIdOf(file: string, { kind, name, enabled }: Endpoint): string {
  return enabled ? `${kind}/${name}` : file;
}

/** The endpoint of a card and its file. Throws `usage` for a card without an endpoint file. */
export function endpointOfCard(
  { endpoints }: Project,
  id: string,
): { readonly file: string; readonly endpoint: Endpoint } {
  for (const { file, endpoint } of endpoints) {
    if (endpoint !== null && cardIdOf(file, endpoint) === id) return { file, endpoint };
  }
  throw new SvcError('usage', `${id} has no file in this project, so it has no tests.`);
}

/** The SQL tools of the site file, which no endpoint file declares. */
function builtInCards({ tools }: Catalog, files: readonly EndpointFile[]): readonly EndpointCard[] {
  const declared = new Set(files.flatMap(({ endpoint }) => (endpoint?.enabled ? endpoint.name : [])));
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
  texts: [],
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

/** A user to call as, with the scopes that the user holds. */
interface ActingUser {
  readonly user: User | null;
  readonly scopes: readonly string[];
}

/** The anonymous caller, the users of the project's tests and policies, and those of API keys. */
function workbenchUsers({ looked, settings }: RunningProject): readonly MatrixUser[] {
  const endpoints = looked.project.endpoints.flatMap(({ endpoint }) => endpoint ?? []);
  return [
    ...toMatrixUsers(declaredContexts(endpoints), 'user_context'),
    ...toKeyUsers(settings.auth.api_keys ?? [], Date.now()),
  ];
}

/**
 * Finds a user by name, or makes one from claims. Claims hold every scope of the project, unless they have their own
 * `scope`. Throws `usage`.
 */
export function toActingUser(running: RunningProject, given: JsonValue): ActingUser {
  if (given === null) return { user: null, scopes: allScopes(running) };
  if (isObject(given)) {
    const user = parseUserContext(given, { from: 'The claims', id: 'workbench' });
    return { user, scopes: scopesOf(given) ?? allScopes(running) };
  }
  const known = workbenchUsers(running).find(({ name }) => name === given);
  if (known === undefined) {
    throw new SvcError(
      'usage',
      `There is no user named ${String(given)}. Reload the page, which shows all users.`,
    );
  }
  const own = known.context === null ? null : scopesOf(known.context);
  return { user: known.user, scopes: known.held ?? own ?? allScopes(running) };
}

/** The scopes that claims state (RFC 9068, 2.2.3); null if they state none. */
function scopesOf({ scope }: JsonObject): readonly string[] | null {
  if (typeof scope === 'string') return scope.split(' ').filter((name) => name !== '');
  return Array.isArray(scope) ? scope.map(String) : null;
}

function allScopes({ runtime: { catalog }, settings }: RunningProject): readonly string[] {
  const entries = [catalog.tools, catalog.resources, catalog.prompts].flatMap((all) => Object.values(all));
  const needed = entries.flatMap(({ scopes = [] }) => scopes);
  return [...new Set(['svc:access', ...(settings.auth.required_scopes ?? []), ...needed])];
}
