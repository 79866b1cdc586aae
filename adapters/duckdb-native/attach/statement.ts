import { existsSync } from 'node:fs';
import { type Attachment, isRemote, parseAttachmentUri } from '../../../src/project/attachment.ts';
import { quoteName, quoteText } from '../../../src/sql/quote.ts';
import { absolutePath } from '../../node/absolute-path.ts';
import type { DatabaseSecret } from '../options.ts';

/**
 * A Postgres server counts as unreachable after ten seconds without a connection, and a connection counts as lost half
 * a minute after its network went silent. The operating system's own limit is two hours.
 */
const BOUNDS = {
  connect_timeout: 10,
  keepalives_idle: 10,
  keepalives_interval: 5,
  keepalives_count: 4,
  tcp_user_timeout: 30_000,
};

/** The facts that an ATTACH statement needs besides the attachment. */
export interface AttachContext {
  /** The project's root, to which paths are relative. */
  readonly root: string;
  readonly secrets: readonly DatabaseSecret[];
  /** If true, every database is attached read-only. */
  readonly readonly: boolean;
}

/** Writes the statement that attaches a database, in place of one with its name. */
export function toAttachStatement(attachment: Attachment, context: AttachContext): string {
  const { type } = parseAttachmentUri(attachment.uri);
  const kind = type === 'ducklake' || type === 'motherduck' ? [] : [`TYPE ${type}`];
  const readonly = isReadOnly(attachment, context) ? ['READ_ONLY'] : [];
  const options = [
    ...kind,
    ...readonly,
    ...dataPathOf(attachment, context),
    ...secretOf(attachment, context),
  ];
  const clause = options.length === 0 ? '' : ` (${options.join(', ')})`;
  return `ATTACH OR REPLACE ${quoteText(toAddress(attachment, context))} AS ${quoteName(attachment.name)}${clause}`;
}

/** Throws if a SQLite file is missing that is only read: DuckDB would notice at the first statement. */
export function enforceFile(attachment: Attachment, context: AttachContext): void {
  const { type, file } = parseAttachmentUri(attachment.uri);
  if (type !== 'sqlite' || file === null || !isReadOnly(attachment, context)) return;
  const path = absolutePath(context.root, file);
  if (!existsSync(path)) throw new Error(`Cannot open database "${path}": database does not exist`);
}

/** The file of DuckDB that is attached read-only, also as the catalogue of a lake; null for anything else. */
export function readFileOf(attachment: Attachment, context: AttachContext): string | null {
  const { type, address, file } = parseAttachmentUri(attachment.uri);
  if (file === null || type === 'sqlite' || address !== file) return null;
  return isReadOnly(attachment, context) ? absolutePath(context.root, file) : null;
}

function isReadOnly({ readonly }: Attachment, context: AttachContext): boolean {
  return context.readonly || readonly !== false;
}

function toAddress({ uri }: Attachment, { root }: AttachContext): string {
  const { type, address, server, file } = parseAttachmentUri(uri);
  const prefix = type === 'ducklake' ? 'ducklake:' : '';
  if (server !== null) return `${prefix}${withBounds(address, server)}`;
  if (file === null) return `${prefix}${address}`;
  return `${prefix}${address.slice(0, address.length - file.length)}${absolutePath(root, file)}`;
}

/** Adds the bounds that an address does not set. An address in the form of a URL keeps its own settings. */
function withBounds(address: string, server: 'postgres' | 'mysql'): string {
  if (server === 'mysql' || address.includes('://')) return address;
  const missing = Object.entries(BOUNDS).filter(([name]) => !address.includes(`${name}=`));
  return [address, ...missing.map(([name, value]) => `${name}=${value}`)].join(' ').trim();
}

function dataPathOf({ data_path }: Attachment, { root }: AttachContext): readonly string[] {
  if (data_path === undefined) return [];
  const path = isRemote(data_path) ? data_path : `${absolutePath(root, data_path)}/`;
  return [`DATA_PATH ${quoteText(path)}`];
}

/** DuckDB finds the secrets of object stores by their scope; only those of database servers are named. */
function secretOf({ uri, secret }: Attachment, { secrets }: AttachContext): readonly string[] {
  const { type, server } = parseAttachmentUri(uri);
  const found = secrets.find(({ name }) => name === secret);
  if (found === undefined || server === null || found.type.toLowerCase() !== server) return [];
  return [`${type === 'ducklake' ? 'META_SECRET' : 'SECRET'} ${quoteText(found.name)}`];
}
