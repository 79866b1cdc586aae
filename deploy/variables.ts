import { isObject, type JsonObject, type JsonValue } from '../src/json.ts';
import { activePart, type Selected } from '../src/settings/active.ts';
import { leavesOf } from '../src/settings/effective/tree.ts';
import { toConnections } from '../src/settings/references/connections.ts';
import { parseReferences } from '../src/settings/references/reference.ts';
import { readUserFile } from '../src/settings/user-file.ts';

/** The variables that an artefact needs for a profile of its user file, sorted. */
export function variablesOf(config: string | null, selected: Selected): readonly string[] {
  const tree = activeTree(config, selected);
  const texts = leavesOf(tree).flatMap(({ value }) => (typeof value === 'string' ? [value] : []));
  const named = [...texts.flatMap(variablesIn), ...managersOf(texts, tree), ...keysOf(authOf(tree))];
  return [...new Set(named)].toSorted();
}

/** The DynamoDB table of a profile's tokens and its region; null if there is none, or if a reference names it. */
export function tokenTableOf(config: string | null, selected: Selected): TokenTable | null {
  const { persistence } = authOf(activeTree(config, selected));
  if (!isObject(persistence) || persistence.type !== 'dynamodb') return null;
  const { table, region = null } = persistence;
  return isLiteral(table) && (region === null || isLiteral(region)) ? { table, region } : null;
}

/** A table of DynamoDB. Without a region, it is in that of the function. */
export interface TokenTable {
  readonly table: string;
  readonly region: string | null;
}

function activeTree(config: string | null, selected: Selected): JsonObject {
  if (config === null) return {};
  return activePart(readUserFile(new TextEncoder().encode(config), 'config.yml').user, selected);
}

function authOf({ profile }: JsonObject): JsonObject {
  return isObject(profile) && isObject(profile.auth) ? profile.auth : {};
}

function isLiteral(value: JsonValue | undefined): value is string {
  return typeof value === 'string' && parseReferences(value).kind === 'literal';
}

function variablesIn(text: string): readonly string[] {
  const found = parseReferences(text);
  if (found.kind !== 'reference') return [];
  return found.parts.flatMap((part) => ('variable' in part ? [part.variable] : []));
}

/** The tokens of the secret managers that the file uses. */
function managersOf(texts: readonly string[], tree: JsonObject): readonly string[] {
  const { vault, onepassword } = toConnections(tree, {});
  const uses = (scheme: string) => texts.some((text) => text.startsWith(scheme));
  return [
    ...(vault !== null && uses('vault://') ? [vault.tokenVariable] : []),
    ...(onepassword !== null && uses('op://')
      ? [onepassword.connectHost === null ? onepassword.tokenVariable : onepassword.connectTokenVariable]
      : []),
  ];
}

/** The variable with the keys of a server that issues tokens and has no keys in its file. */
function keysOf({ mode, provider, keys }: JsonObject): readonly string[] {
  const issues = mode !== 'verifier' && typeof provider === 'string' && provider !== 'none';
  return issues && keys === undefined ? ['SVC_AUTH_KEYS'] : [];
}
