import type { Manifest } from '../../../src/catalog/manifest.ts';
import type { AnyEntry, PromptEntry } from '../../../src/catalog/model.ts';
import type { JsonObject } from '../../../src/json.ts';
import { leavesOf } from '../../../src/settings/effective/tree.ts';
import { toConnections } from '../../../src/settings/references/connections.ts';
import { parseReferences } from '../../../src/settings/references/reference.ts';
import { readUserFile } from '../../../src/settings/user-file.ts';
import type { ProjectPackage } from '../../project-package.ts';
import { toDeploymentName } from '../target.ts';

/** The newest version of the schema that is not experimental. */
const MANIFEST_VERSION = '0.3';

/** The folder of the program in the bundle. */
export const SERVER_FOLDER = 'server';

/** The parts of an artefact that its bundle describes. */
interface Described {
  readonly manifest: Manifest;
  /** The text of the user file; null if the artefact has none. */
  readonly config: string | null;
  readonly about: ProjectPackage;
}

/** The `manifest.json` of a bundle, by the schema of `@anthropic-ai/mcpb`. */
export function toBundleManifest({ manifest, config, about }: Described): JsonObject {
  const { project, tools, prompts } = manifest.catalog;
  const slug = toDeploymentName(project);
  const fields = userConfigOf(config);
  return {
    manifest_version: MANIFEST_VERSION,
    name: slug,
    display_name: project,
    version: about.version ?? '1.0.0',
    description: about.description ?? `Answers questions about the data of ${project}.`,
    author: about.author ?? { name: project },
    ...(about.homepage === undefined ? {} : { homepage: about.homepage }),
    ...(about.repository === undefined ? {} : { repository: { type: 'git', url: about.repository } }),
    ...(about.license === undefined ? {} : { license: about.license }),
    server: {
      type: 'node',
      entry_point: `${SERVER_FOLDER}/index.js`,
      mcp_config: {
        command: 'node',
        args: [`\${__dirname}/${SERVER_FOLDER}/index.js`, '--stdio', `\${HOME}/.svc/state/${slug}`],
        ...(fields.length === 0 ? {} : { env: toEnv(fields) }),
      },
    },
    tools: Object.values(tools).map((tool) => ({ name: tool.name, ...describe(tool) })),
    ...(Object.keys(prompts).length === 0 ? {} : { prompts: Object.values(prompts).map(toPrompt) }),
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: '>=22.15' } },
    ...(fields.length === 0 ? {} : { user_config: toUserConfig(fields) }),
  };
}

function describe({ wire }: AnyEntry): { readonly description?: string } {
  const text = wire.description ?? wire.title;
  return typeof text === 'string' ? { description: text } : {};
}

function toPrompt(prompt: PromptEntry): JsonObject {
  const names = prompt.parameters.map(({ name }) => name);
  const text = prompt.messages.map((message) => message.prompt.trim()).join('\n\n');
  return {
    name: prompt.name,
    ...describe(prompt),
    ...(names.length === 0 ? {} : { arguments: names }),
    // The server renders it; a client shows this text beside the name.
    text: names.reduce((shown, name) => replaceVariable(shown, name), text),
  };
}

/** `{{ month }}` becomes `${arguments.month}`, the notation of the schema. */
function replaceVariable(text: string, name: string): string {
  return text.replaceAll(new RegExp(`\\{\\{-?\\s*${name}\\s*-?\\}\\}`, 'g'), () => `\${arguments.${name}}`);
}

/** The variables that the user file refers to, sorted. The client asks its user for them. */
export function userConfigOf(config: string | null): readonly string[] {
  if (config === null) return [];
  const { user } = readUserFile(new TextEncoder().encode(config), 'config.yml');
  const tree = user?.yaml.value ?? {};
  const named = leavesOf(tree).flatMap(({ value }) => (typeof value === 'string' ? variablesIn(value) : []));
  return [...new Set([...named, ...managersOf(config, tree as JsonObject)])].toSorted();
}

function variablesIn(text: string): readonly string[] {
  const found = parseReferences(text);
  if (found.kind !== 'reference') return [];
  return found.parts.flatMap((part) => ('variable' in part ? [part.variable] : []));
}

/** The tokens of the secret managers that the file uses. */
function managersOf(config: string, tree: JsonObject): readonly string[] {
  const { vault, onepassword } = toConnections(tree, {});
  return [
    ...(vault !== null && config.includes('vault://') ? [vault.tokenVariable] : []),
    ...(onepassword !== null && config.includes('op://')
      ? [onepassword.connectHost === null ? onepassword.tokenVariable : onepassword.connectTokenVariable]
      : []),
  ];
}

function toEnv(fields: readonly string[]): JsonObject {
  return Object.fromEntries(fields.map((name) => [name, `\${user_config.${name}}`]));
}

/** Every field is required, because the server does not start without it, and hidden, because it may be a secret. */
function toUserConfig(fields: readonly string[]): JsonObject {
  return Object.fromEntries(
    fields.map((name) => [
      name,
      {
        type: 'string',
        title: name,
        description: `The value of ${name} in the configuration of this server.`,
        required: true,
        sensitive: true,
      },
    ]),
  );
}
