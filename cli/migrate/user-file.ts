import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { homeOf } from '../../adapters/node/absolute-path.ts';
import { SvcError } from '../../src/errors.ts';
import { isObject, type JsonObject, type JsonValue } from '../../src/json.ts';
import type { Finding } from '../../src/project/finding.ts';
import { readUserFile } from '../../src/settings/user-file.ts';
import { type MigrationNote, type Noting, type Rewritten, renameVersion } from './rewrite.ts';
import { editYaml, keysAt, nodeValueAt, type YamlEdit, type YamlPath } from './yaml-edit.ts';

/** The rewritten user file. It goes beside the new project; its owner moves it to its place. */
export interface MigratedUser {
  readonly from: string;
  /** Its path in the new project. */
  readonly path: string;
  readonly text: string;
  readonly notes: readonly MigrationNote[];
  readonly findings: readonly Finding[];
}

/** Ignored by git. */
const PLACE = '.svc/config.yml';

/** Rewrites the user file that was named, or the one that MXCP would read; null if there is none or it says nothing. */
export async function migrateUser(asked: string | undefined): Promise<MigratedUser | null> {
  const chosen = asked ?? usualFile(process.env);
  if (chosen === null) return null;
  const from = resolve(chosen);
  if (!existsSync(from)) {
    if (asked === undefined) return null;
    throw new SvcError('usage', `--config ${asked}: there is no such file.`);
  }
  const text = await readFile(from, 'utf8');
  if (text.split('\n').every((line) => /^\s*(#|$)/.test(line))) return null;
  const done = rewriteUser(text, from);
  if (done === null) throw new SvcError('usage', `${from} is not YAML, so it cannot be converted.`);
  const { findings } = readUserFile(new TextEncoder().encode(done.text), PLACE);
  return { from, path: PLACE, ...done, findings };
}

/** The user file that MXCP reads; null if there is no home folder. */
function usualFile(env: NodeJS.ProcessEnv): string | null {
  const home = homeOf(env);
  return env.MXCP_CONFIG || (home === null ? null : join(home, '.mxcp/config.yml'));
}

/** Rewrites the text of a user file; null if it is not YAML. */
function rewriteUser(text: string, file: string): Rewritten | null {
  const yaml = editYaml(text);
  if (yaml === null) return null;
  const noting: Noting = { file, notes: [] };
  renameVersion(yaml, { ...noting, required: true });
  for (const project of keysAt(yaml.value, ['projects'])) {
    for (const profile of keysAt(yaml.value, ['projects', project, 'profiles'])) {
      const auth = ['projects', project, 'profiles', profile, 'auth'];
      rewriteScopes(yaml, auth);
      rewriteStore(yaml, [...auth, 'persistence'], noting);
      rewriteVerifier(yaml, auth, noting);
      rewriteAttributes(yaml, ['projects', project, 'profiles', profile, 'telemetry', 'resource_attributes']);
    }
  }
  return { text: yaml.toString(), notes: noting.notes };
}

/** Renames scopes: `mxcp:access` becomes `svc:access`. */
function rewriteScopes(yaml: YamlEdit, auth: YamlPath): void {
  const lists = [
    [...auth, 'authorization', 'required_scopes'],
    ...keysAt(yaml.value, [...auth, 'clients']).map((index) => [...auth, 'clients', index, 'scopes']),
  ];
  for (const path of lists) {
    for (const index of keysAt(yaml.value, path)) {
      const scope = nodeValueAt(yaml.value, [...path, index]);
      if (typeof scope === 'string' && scope.startsWith('mxcp:')) {
        yaml.setText([...path, index], scope.replace(/^mxcp:/, 'svc:'));
      }
    }
  }
}

/** Turns the values of resource attributes to text: MXCP takes any value, and svc only texts. */
function rewriteAttributes(yaml: YamlEdit, path: YamlPath): void {
  for (const key of keysAt(yaml.value, path)) {
    const value = nodeValueAt(yaml.value, [...path, key]);
    if (typeof value === 'number' || typeof value === 'boolean')
      yaml.setQuoted([...path, key], String(value));
  }
}

function rewriteStore(yaml: YamlEdit, path: YamlPath, { file, notes }: Noting): void {
  if (!isObject(nodeValueAt(yaml.value, path) ?? null)) return;
  const place = nodeValueAt(yaml.value, [...path, 'path']);
  if (typeof place === 'string') yaml.setText([...path, 'path'], place.replace(/\.mxcp(?=\/)/, '.svc'));
  const message = 'Stored logins are not carried over. People sign in again.';
  notes.push({ kind: 'lost', file, line: yaml.lineOf(path), message });
}

/** Moves the settings for foreign tokens out of the block `oidc`, which MXCP uses for both purposes. */
function rewriteVerifier(yaml: YamlEdit, auth: YamlPath, { file, notes }: Noting): void {
  const oidc = nodeValueAt(yaml.value, [...auth, 'oidc']) ?? null;
  if (nodeValueAt(yaml.value, [...auth, 'mode']) !== 'verifier' || !isObject(oidc)) return;
  const at = { file, line: yaml.lineOf([...auth, 'oidc']) };
  if (!yaml.replace([...auth, 'oidc'], toVerifier(oidc))) {
    const message =
      '`oidc` of `mode: verifier` must become `verifier` by hand, because the file has aliases.';
    notes.push({ kind: 'check', ...at, message });
    return;
  }
  yaml.renameKey([...auth, 'oidc'], 'verifier');
  if (nodeValueAt(yaml.value, [...auth, 'provider']) !== undefined) yaml.remove([...auth, 'provider']);
  const known = String(oidc.config_url).includes('/.well-known/');
  const queried = String(oidc.config_url).includes('?');
  const issuer = known
    ? 'Its issuer comes from `config_url`.'
    : 'Correct its `issuer`: `config_url` does not show it.';
  const query = queried ? ' Set its `jwks_url`: it has no place for the query of `config_url`.' : '';
  const message = `\`oidc\` of \`mode: verifier\` became \`verifier\`. ${issuer}${query}`;
  notes.push({ kind: known && !queried ? 'done' : 'check', ...at, message });
}

function toVerifier({
  config_url,
  audience,
  client_id,
  client_secret,
  provider_name,
  claim_mappings,
}: JsonObject) {
  const issuer = typeof config_url === 'string' ? config_url.replace(/\/\.well-known\/.*$/, '') : '';
  const kept: { [key: string]: JsonValue | undefined } = {
    ...{ audience, client_id, client_secret, provider_name, claim_mappings },
  };
  const known = Object.entries(kept).filter((entry): entry is [string, JsonValue] => entry[1] !== undefined);
  return { issuer, ...Object.fromEntries(known) };
}
