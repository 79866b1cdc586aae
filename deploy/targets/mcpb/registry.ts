import { SvcError } from '../../../src/errors.ts';
import type { JsonObject } from '../../../src/json.ts';
import type { Finding } from '../../../src/project/finding.ts';
import type { ProjectPackage } from '../../project-package.ts';

const SCHEMA = 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json';

/** The longest description and title that the registry accepts. */
const MOST_CHARACTERS = 100;

const NAME = /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/;

/** A bundle to be listed in the MCP registry. */
interface RegistryServer {
  readonly project: string;
  /** The name of the bundle's file. */
  readonly file: string;
  /** The SHA-256 of the bundle, in hex. */
  readonly sha256: string;
  /** The variables of the user file. */
  readonly variables: readonly string[];
  readonly about: ProjectPackage;
}

/**
 * The `server.json` that lists a bundle in the MCP registry; null for a project without `mcpName`, `version` and
 * `repository` in its `package.json`. The bundle is expected among the files of the release `v<version>`, because the
 * registry accepts bundles of GitHub's and GitLab's releases only.
 */
export function toServerJson({ project, file, sha256, variables, about }: RegistryServer): JsonObject | null {
  const { mcpName, version, repository, homepage, description } = about;
  const host = hostOf(repository);
  if (mcpName === undefined || version === undefined || repository === undefined || host === undefined)
    return null;
  if (!NAME.test(mcpName)) throw notName(mcpName);
  const releases = host === 'github' ? `${repository}/releases/download` : `${repository}/-/releases`;
  const folder = host === 'github' ? `v${version}` : `v${version}/downloads`;
  const environment = variables.map((name) => ({ name, isRequired: true, isSecret: true }));
  return {
    $schema: SCHEMA,
    name: mcpName,
    title: project.slice(0, MOST_CHARACTERS),
    description: (description ?? `Answers questions about the data of ${project}`).slice(0, MOST_CHARACTERS),
    version,
    repository: { url: repository, source: host },
    ...(homepage === undefined ? {} : { websiteUrl: homepage }),
    packages: [
      {
        registryType: 'mcpb',
        identifier: `${releases}/${folder}/${file}`,
        fileSha256: sha256,
        transport: { type: 'stdio' },
        ...(environment.length === 0 ? {} : { environmentVariables: environment }),
      },
    ],
  };
}

function hostOf(repository = ''): string | undefined {
  return /^https:\/\/(github|gitlab)\.com\//.exec(repository)?.[1];
}

/** Warns of a project whose `mcpName` asks for a `server.json` that cannot be made. */
export function checkRegistry({ mcpName, version, repository }: ProjectPackage): readonly Finding[] {
  const missing = [
    ...(version === undefined ? ['`version`'] : []),
    ...(hostOf(repository) === undefined ? ['`repository` on GitHub or GitLab'] : []),
  ].join(' and ');
  if (mcpName === undefined || missing === '') return [];
  return [
    {
      severity: 'warning',
      code: 'missing-field',
      file: 'package.json',
      line: 0,
      column: 0,
      message: `\`mcpName\` is set, but ${missing} is missing, so there is no server.json for the MCP registry.`,
      fix: 'Add what is missing, or remove `mcpName`.',
    },
  ];
}

function notName(name: string): SvcError {
  const form = 'a namespace and a name, such as `io.github.owner/sales`';
  return new SvcError(
    'config_invalid',
    `\`mcpName\` in package.json is ${JSON.stringify(name)}, but the MCP registry requires ${form}. Correct it, or remove it.`,
  );
}
