import { type Path, toPointer } from '../project/yaml/position.ts';
import { type Selected, toUserPath } from './active.ts';
import { valueAt, withValue } from './effective/tree.ts';
import type { UserFile } from './user-file.ts';

const API_KEYS: Path = ['profile', 'auth', 'api_keys'];

/**
 * Returns the user file of the server's start with the API keys that the file has now, so that a reload can revoke
 * keys. The rest of the file is not read again (spec, "What a reload re-reads"). A file that is gone has no keys.
 */
export function withLatestKeys(user: UserFile, latest: UserFile | null, selected: Selected): UserFile {
  const path = toUserPath(API_KEYS, selected);
  const keys = valueAt(latest?.yaml.value, path) ?? [];
  const pointer = toPointer(path);
  const isKey = ([at]: readonly [string, unknown]) => at === pointer || at.startsWith(`${pointer}/`);
  const others = Object.entries(user.yaml.positions).filter((entry) => !isKey(entry));
  const own = Object.entries(latest?.yaml.positions ?? {}).filter(isKey);
  const positions = Object.fromEntries([...others, ...own]);
  const value = withValue(user.yaml.value, path.map(String), keys);
  return { ...user, yaml: { ...user.yaml, value, positions } };
}
