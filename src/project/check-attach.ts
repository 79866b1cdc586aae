import { suggestName } from '../types/nearest.ts';
import {
  type Attachment,
  extensionsOfAttachment,
  holdsCredential,
  isRemote,
  MEMORY_PATH,
  parseAttachmentUri,
  RESERVED_NAMES,
  remoteDatabase,
} from './attachment.ts';
import { reachesOut } from './extension.ts';
import type { SourceIssue } from './finding.ts';
import { problemAt } from './schema/issues.ts';
import { present } from './schema/shape.ts';
import type { ParsedSiteFile } from './schema/site.ts';
import type { Path } from './yaml/position.ts';
import type { YamlFile } from './yaml/yaml.ts';

const NO_CREDENTIAL = 'contains a credential, which must not be in the site file.';
const CREDENTIAL_FIX = 'Move it to a secret of the user file.';

/** An issue at a path below `database` of a profile. */
type Issue = Omit<SourceIssue, 'position'> & { readonly path: Path };

type ParsedDatabase = NonNullable<NonNullable<NonNullable<ParsedSiteFile['profiles']>[string]>['database']>;

/** Checks `database.attach` and `database.use` of every profile. */
export function checkAttached(site: ParsedSiteFile, yaml: YamlFile): readonly SourceIssue[] {
  return Object.entries(site.profiles ?? {}).flatMap(([profile, written]) => {
    const extensions = [...(site.extensions ?? []), ...(written?.extensions ?? [])];
    const loaded = extensions.map(({ name }) => name.toLowerCase());
    const issues = written?.database ? checkDatabase(written.database, loaded) : [];
    const base = ['profiles', profile, 'database'];
    return issues.map(({ path, ...issue }) => problemAt(yaml, [...base, ...path], issue));
  });
}

function checkDatabase(database: ParsedDatabase, loaded: readonly string[]): readonly Issue[] {
  const attached = (database.attach ?? []).map((one) => present(one)) as readonly Attachment[];
  return [
    ...checkPath(database, attached),
    ...checkRemotePath(database, attached, loaded),
    ...checkUse(database, attached),
    ...checkWasm(database, attached),
    ...attached.flatMap((one, index) => [
      ...checkName(attached, index),
      ...checkUri(one, index),
      ...checkWriting(database, one, index),
      ...checkRequired(database, one, { index, loaded }),
      ...checkExtensions(database, one, { index, loaded }),
    ]),
  ];
}

function checkPath({ path, use }: ParsedDatabase, attached: readonly Attachment[]): readonly Issue[] {
  const known = use && attached.length > 0;
  if (!path?.startsWith(':memory:') || (known && path === MEMORY_PATH)) return [];
  return [
    {
      path: ['path'],
      code: 'wrong-value',
      message: 'must be a file: a database in memory would be empty at each start.',
      fix: 'Name a file such as data/db.db, or attach a database and `use` it.',
    },
  ];
}

/** Checks a path that is an address: the native engine reads such a file, and nothing writes to it. */
function checkRemotePath(
  { path, engine, readonly, sandbox }: ParsedDatabase,
  attached: readonly Attachment[],
  loaded: readonly string[],
): readonly Issue[] {
  const remote = path ? remoteDatabase(path) : null;
  if (remote === null) return [];
  const at = (key: string, message: string, fix: string, code = 'wrong-value') => ({
    path: [key],
    code,
    message,
    fix,
  });
  const twin = attached.some(({ name }) => name.toLowerCase() === remote.name.toLowerCase());
  const missing = missingExtensions(remote, loaded);
  return [
    ...(holdsCredential(remote.uri) ? [at('path', NO_CREDENTIAL, CREDENTIAL_FIX, 'literal-secret')] : []),
    ...(engine === 'wasm'
      ? [at('engine', 'is wasm, which reads no remote file.', 'Write `engine: native`, or leave it out.')]
      : []),
    ...(readonly === false
      ? [at('readonly', 'is false, and a remote file is only read.', 'Remove it, or write `readonly: true`.')]
      : []),
    ...(sandbox === true
      ? [
          at(
            'sandbox',
            'is true, and `path` lies outside.',
            'Set `sandbox: false`, or name a file of this machine.',
            'sandbox-conflict',
          ),
        ]
      : []),
    ...(twin
      ? [
          at(
            'path',
            `has the name of the attached database ${remote.name}.`,
            'Choose another name for one of them.',
          ),
        ]
      : []),
    ...missing.map((name) =>
      at(
        'path',
        `needs the extension ${name}, which the profile does not load.`,
        `Add ${name} to \`extensions\` of the profile or of the project.`,
        'extension-missing',
      ),
    ),
  ];
}

function checkUse({ use }: ParsedDatabase, attached: readonly Attachment[]): readonly Issue[] {
  const names = attached.map(({ name }) => name);
  if (!use || names.includes(use)) return [];
  return [
    {
      path: ['use'],
      code: 'wrong-value',
      message: `names no database under \`attach\`${names.length > 0 ? `: ${names.join(', ')}` : ''}.`,
      fix: suggestName(use, names, 'Add it under `attach`, or remove `use`.'),
    },
  ];
}

function checkWasm({ engine }: ParsedDatabase, attached: readonly Attachment[]): readonly Issue[] {
  if (engine !== 'wasm' || attached.length === 0) return [];
  return [
    {
      path: ['engine'],
      code: 'wrong-value',
      message: 'is wasm, which attaches no databases.',
      fix: 'Write `engine: native`, or leave it out.',
    },
  ];
}

function checkName(attached: readonly Attachment[], index: number): readonly Issue[] {
  const names = attached.map(({ name }) => name.toLowerCase());
  const name = names[index] ?? '';
  const twice = names.indexOf(name) < index;
  if (!twice && !RESERVED_NAMES.includes(name) && !name.startsWith('__ducklake')) return [];
  return [
    {
      path: ['attach', index, 'name'],
      code: 'wrong-value',
      message: twice ? 'is the name of another attached database.' : "is a name of DuckDB's own databases.",
      fix: 'Choose another name.',
    },
  ];
}

function checkUri({ uri }: Attachment, index: number): readonly Issue[] {
  if (!holdsCredential(uri)) return [];
  return [
    {
      path: ['attach', index, 'uri'],
      code: 'literal-secret',
      message: NO_CREDENTIAL,
      fix: `${CREDENTIAL_FIX.slice(0, -1)}, and name that by \`secret\`.`,
    },
  ];
}

function checkWriting({ readonly }: ParsedDatabase, attachment: Attachment, index: number): readonly Issue[] {
  if (attachment.readonly !== false) return [];
  const place = { path: ['attach', index, 'readonly'], code: 'wrong-value' };
  const { type, address } = parseAttachmentUri(attachment.uri);
  if (type === 'duckdb' && isRemote(address)) {
    return [{ ...place, message: 'is false, and a remote file is only read.', fix: 'Remove it.' }];
  }
  if (readonly !== true) return [];
  return [
    {
      ...place,
      message: 'is false, and `database.readonly` is true, which applies to all databases.',
      fix: 'Remove `readonly: true` of the database, or this `readonly: false`.',
    },
  ];
}

/**
 * Checks that a DuckDB file can be opened later. After its start, the engine opens no further files unless statements
 * reach outside.
 */
function checkRequired(
  { sandbox }: ParsedDatabase,
  { uri, required }: Attachment,
  { index, loaded }: { readonly index: number; readonly loaded: readonly string[] },
): readonly Issue[] {
  const { type, address } = parseAttachmentUri(uri);
  const open = sandbox !== true && loaded.some(reachesOut);
  if (required !== false || open || type !== 'duckdb' || isRemote(address)) return [];
  return [
    {
      path: ['attach', index, 'required'],
      code: 'wrong-value',
      message:
        'is false, but the server could not open the file later: without an extension for outside data, it opens no files after its start.',
      fix: 'Remove it, and start the server when the file is there.',
    },
  ];
}

function checkExtensions(
  { sandbox }: ParsedDatabase,
  attachment: Attachment,
  { index, loaded }: { readonly index: number; readonly loaded: readonly string[] },
): readonly Issue[] {
  const needed = extensionsOfAttachment(attachment);
  const missing = missingExtensions(attachment, loaded);
  const path = ['attach', index, 'uri'];
  const closed = sandbox === true && needed.length > 0;
  const conflict = {
    path,
    code: 'sandbox-conflict',
    message: 'lies outside of the database, and `database.sandbox` closes it.',
    fix: 'Remove the entry, or set `sandbox: false`.',
  };
  return [
    ...(closed ? [conflict] : []),
    ...missing.map((name) => ({
      path,
      code: 'extension-missing',
      message: `needs the extension ${name}, which the profile does not load.`,
      fix: `Add ${name} to \`extensions\` of the profile or of the project.`,
    })),
  ];
}

/** The usual name of each extension that an attachment needs and the profile does not load. */
function missingExtensions(attachment: Attachment, loaded: readonly string[]): readonly string[] {
  return extensionsOfAttachment(attachment)
    .filter((names) => !names.some((name) => loaded.includes(name)))
    .flatMap((names) => names.slice(0, 1));
}
