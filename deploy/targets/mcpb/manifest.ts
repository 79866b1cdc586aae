import { OLDEST_NODE } from '../../../adapters/node/oldest-node.ts';
import type { Manifest } from '../../../src/catalog/manifest.ts';
import type { AnyEntry, PromptEntry } from '../../../src/catalog/model.ts';
import type { JsonObject } from '../../../src/json.ts';
import type { ProjectPackage } from '../../project-package.ts';
import { toDeploymentName } from '../target.ts';

/** The newest version of the schema that is not experimental. */
const MANIFEST_VERSION = '0.3';

/** The folder of the program in the bundle. */
export const SERVER_FOLDER = 'server';

/** The parts of an artefact that its bundle describes. */
interface Described {
  readonly manifest: Manifest;
  /** The variables of the user file. The client asks its user for them. */
  readonly variables: readonly string[];
  readonly about: ProjectPackage;
}

/** The `manifest.json` of a bundle, by the schema of `@anthropic-ai/mcpb`. */
export function toBundleManifest({ manifest, variables, about }: Described): JsonObject {
  const { project, tools, prompts } = manifest.catalog;
  const slug = toDeploymentName(project);
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
        ...(variables.length === 0 ? {} : { env: toEnv(variables) }),
      },
    },
    tools: Object.values(tools).map((tool) => ({ name: tool.name, ...describe(tool) })),
    ...(Object.keys(prompts).length === 0 ? {} : { prompts: Object.values(prompts).map(toPrompt) }),
    compatibility: { platforms: ['darwin', 'win32', 'linux'], runtimes: { node: `>=${OLDEST_NODE}` } },
    ...(variables.length === 0 ? {} : { user_config: toUserConfig(variables) }),
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
