/** A database beside the project's own, as written under `database.attach`. */
export interface Attachment {
  /** Its name in SQL. */
  readonly name: string;
  /** A file, an address or a connection string, without credentials. */
  readonly uri: string;
  /** The folder or address of a new DuckLake's files. */
  readonly data_path?: string;
  /** The secret of the user file that opens it. */
  readonly secret?: string;
  /** If false, endpoints write to it; true by default. */
  readonly readonly?: boolean;
  /** If false, the server starts without it and connects later; true by default. */
  readonly required?: boolean;
  /** Whether it is `database.path` itself, which names a remote file. */
  readonly own?: true;
}

/** The path of a database in memory, for a project whose data is in attached databases. */
export const MEMORY_PATH = ':memory:';

/** Names of DuckDB's own databases. */
export const RESERVED_NAMES = ['main', 'memory', 'system', 'temp'];

/** The parts of an attachment's address. */
interface AttachmentTarget {
  readonly type: 'duckdb' | 'sqlite' | 'postgres' | 'mysql' | 'ducklake' | 'motherduck';
  /** The address in the form that DuckDB expects for this type. */
  readonly address: string;
  /** The database server behind it, if there is one: the connection to it can be lost. */
  readonly server: 'postgres' | 'mysql' | null;
  /** The local file that the address names, relative to the project's root; null for anything else. */
  readonly file: string | null;
}

/**
 * Reads the address of an attachment.
 *
 * @example parseAttachmentUri('sqlite:data/a.sqlite') // { type: 'sqlite', address: 'data/a.sqlite', ... }
 */
export function parseAttachmentUri(uri: string): AttachmentTarget {
  const [, scheme = '', rest = ''] = /^(\w+):(?!\/\/)(.*)$/s.exec(uri) ?? [];
  const known = scheme.toLowerCase();
  if (known === 'ducklake') return lakeOf(rest);
  if (known === 'md') return { type: 'motherduck', address: uri, server: null, file: null };
  if (known === 'sqlite') return fileTarget('sqlite', rest);
  if (known === 'postgres' || /^postgres(ql)?:\/\//i.test(uri)) return serverTarget('postgres', rest || uri);
  if (known === 'mysql' || /^mysql:\/\//i.test(uri)) return serverTarget('mysql', rest || uri);
  return fileTarget(/\.sqlite3?$/i.test(uri) ? 'sqlite' : 'duckdb', uri);
}

function fileTarget(type: 'sqlite' | 'duckdb', address: string): AttachmentTarget {
  return { type, address, server: null, file: isRemote(address) ? null : address };
}

function serverTarget(type: 'postgres' | 'mysql', address: string): AttachmentTarget {
  return { type, address, server: type, file: null };
}

function lakeOf(catalogue: string): AttachmentTarget {
  const { address, server, type, file } = parseAttachmentUri(catalogue);
  const prefix = type === 'duckdb' ? '' : `${type}:`;
  return { type: 'ducklake', address: `${prefix}${address}`, server, file };
}

/** Whether an address is one of a network, which the extension httpfs or azure reads. */
export function isRemote(address: string): boolean {
  return /^\w[\w+.-]*:\/\//.test(address);
}

/**
 * The project's own database as an attachment, if its path is an address; null for a file of this machine. Its name in
 * SQL is that of the file, as DuckDB makes it.
 *
 * @example remoteDatabase('s3://bucket/sales.duckdb') // { name: 'sales', uri: 's3://bucket/sales.duckdb', own: true }
 */
export function remoteDatabase(path: string): Attachment | null {
  if (!isRemote(path)) return null;
  const file =
    path
      .replace(/[?#].*$/s, '')
      .split('/')
      .at(-1) ?? '';
  const [base = ''] = file.split('.');
  const name = base === '' || RESERVED_NAMES.includes(base.toLowerCase()) ? `${base}_db` : base;
  return { name, uri: path, own: true };
}

/** The extensions that an attachment needs. One extension of each list is enough; the usual one comes first. */
export function extensionsOfAttachment({ uri, data_path = '' }: Attachment): readonly (readonly string[])[] {
  const { type, address, server } = parseAttachmentUri(uri);
  const remote = [data_path, server === null ? address : ''].filter(isRemote);
  return [
    ...(type === 'ducklake' ? [['ducklake']] : []),
    ...(type === 'motherduck' ? [['motherduck']] : []),
    ...(server === 'postgres' ? [['postgres', 'postgres_scanner']] : []),
    ...(server === 'mysql' ? [['mysql', 'mysql_scanner']] : []),
    ...(type === 'sqlite' || address.startsWith('sqlite:') ? [['sqlite', 'sqlite_scanner']] : []),
    ...(remote.length > 0 ? [[/^(az|azure|abfss):/i.test(remote.join()) ? 'azure' : 'httpfs']] : []),
  ];
}

const CREDENTIALS =
  /\b(?:password|passwd|pwd|\w*token|secret|\w*access_key|x-amz-signature|signature)\s*=|:\/\/[^/\s@]*:[^/\s]*@/i;

/** Whether an address contains a credential, which belongs into a secret of the user file. */
export function holdsCredential(uri: string): boolean {
  return CREDENTIALS.test(uri);
}
