import type { Attachment } from '../../src/project/attachment.ts';
import type { Extension } from '../../src/project/extension.ts';

/** The extensions to load, and their source. */
export interface ExtensionSettings {
  readonly extensions?: readonly Extension[];
  /** A folder, or an address in the form of DuckDB's repository, for all extensions. */
  readonly extensionRepository?: string;
  /** The folder of installed extensions; DuckDB's default is in the home folder. */
  readonly extensionDirectory?: string;
  /** Whether to load unsigned extensions, such as the author's own builds. */
  readonly unsignedExtensions?: boolean;
}

/** A secret of the user file for the database. */
export interface DatabaseSecret {
  readonly name: string;
  readonly type: string;
  readonly parameters: { readonly [name: string]: SecretValue };
}

export type SecretValue = string | number | boolean | { readonly [name: string]: SecretValue };

/** The choices for opening a native database. */
export interface NativeOptions extends ExtensionSettings {
  readonly path: string;
  readonly readonly: boolean;
  /** The most memory the engine's buffers take; DuckDB's default is 80 % of the machine's. */
  readonly memoryMb?: number;
  /** The number of threads that run queries; by default the number of cores. */
  readonly threads?: number;
  /** Whether a missing read-write database is made, with its folders; yes by default. */
  readonly createIfMissing?: boolean;
  /** Whether statements reach files and the network; no by default. */
  readonly external?: boolean;
  /** The most queries that run at a time; 64 by default. */
  readonly running?: number;
  /** The most queries that wait, and the most writes; 1,024 by default. */
  readonly queueLimit?: number;
  /** Secrets for extensions; those of a type that the database does not know are left out. */
  readonly secrets?: readonly DatabaseSecret[];
  /** Databases beside this one. */
  readonly attach?: readonly Attachment[];
  /** The attached database that unqualified names mean. */
  readonly use?: string | null;
  /** The folder to which paths of attached databases are relative; by default the process's folder. */
  readonly root?: string;
}
