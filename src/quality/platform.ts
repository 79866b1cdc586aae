import type { SvcError } from '../errors.ts';
import type { Database } from '../ports.ts';
import { isRemote } from '../project/attachment.ts';
import type { Finding } from '../project/finding.ts';
import { extensionPath, SITE_NAME, type SiteFile } from '../project/site-model.ts';
import { type Path, type Positions, positionAt } from '../project/yaml/position.ts';

/** The serving engine, and the platform if one was requested. */
export interface ServingPlatform {
  readonly platform: string | null;
  readonly engine: Database['engine'];
}

/** A missing feature of the platform, and the fix. */
interface PlatformIssue {
  readonly message: string;
  readonly fix: string;
  /** The word of the statement that names the feature, if the engine reports it. */
  readonly word?: string;
}

const ELSEWHERE =
  'or use the native engine: `engine: native` for `svc serve`, `--engine native` for `svc build` for node and aws-lambda.';
const WRITABLE = 'or serve the project with `svc serve` and `readonly: false` for the database.';
/** Messages about missing features. One or two groups hold the kind and the name. */
const IN_EXTENSION =
  /^\w+ Error: (\w+)(?: Function)? with name "([^"]+)" is not in the catalog, .*?exists in the (\w+) extension/;
const NEEDS_EXTENSION = /(?:^\w+ Error: (.+) needs DuckDB's )?required extension '(\w+)'/m;
/** DuckDB's series have no overload for timestamps with zone, and its error does not suggest a fix. */
const ZONED_SERIES = /No function matches .* '(range|generate_series)\([^)]*TIMESTAMP WITH TIME ZONE/;

/** Recognizes DuckDB's errors about missing features; null for other errors of a statement. */
export function platformIssue(error: SvcError, serving: ServingPlatform): PlatformIssue | null {
  if (error.code === 'database_readonly' && serving.engine === 'duckdb-wasm') {
    return {
      message: `On ${nameOf(serving)}: ${error.message.split('\n')[0]}`,
      fix: `Write it as one SELECT, set \`enabled: false\` for the endpoint, ${WRITABLE}`,
    };
  }
  return missingEntry(error, serving) ?? missingSeries(error, serving) ?? missingExtension(error, serving);
}

function missingEntry({ message }: SvcError, serving: ServingPlatform): PlatformIssue | null {
  const [, kind, name, extension] = IN_EXTENSION.exec(message) ?? [];
  if (!kind || !name || !extension) return null;
  const noun = nounOf(kind);
  const what = `the ${noun} ${name}, which is in DuckDB's extension ${extension}`;
  return { ...lacks(what, serving, noun === 'function' ? name : noun), word: name };
}

function missingSeries({ message }: SvcError, serving: ServingPlatform): PlatformIssue | null {
  const series = serving.engine === 'duckdb-wasm' ? ZONED_SERIES.exec(message)?.[1] : undefined;
  if (!series) return null;
  return { ...lacks(`${series} of timestamps with time zone as a table`, serving, series), word: series };
}

function missingExtension({ message }: SvcError, serving: ServingPlatform): PlatformIssue | null {
  const [, what, extension] = NEEDS_EXTENSION.exec(message) ?? [];
  if (!extension) return null;
  if (!what) return lacks(`DuckDB's extension ${extension}, which the statement needs`, serving);
  const word = /'([^']+)'/.exec(what)?.[1] ?? what.split(' ')[0] ?? what;
  return { ...lacks(`${what}, which is in DuckDB's extension ${extension}`, serving, what), word };
}

/** Reports extensions of the site file that the engine cannot load. */
export function checkExtensions(
  site: Pick<SiteFile, 'extensions' | 'profile' | 'profiles'>,
  serving: ServingPlatform,
  positions: Positions,
): readonly Finding[] {
  if (serving.engine === 'duckdb-native') return [];
  return site.extensions.map(({ name }, index) => ({
    severity: 'error',
    code: 'target-unsupported',
    file: SITE_NAME,
    ...positionAt(positions, extensionPath(site, index)),
    message: `The extension ${name} cannot be loaded on ${nameOf(serving)}.`,
    fix: `Remove it from \`extensions\`, ${ELSEWHERE}`,
  }));
}

/** Finds remote databases, which only the native engine reads. */
export function checkAttachments(
  { profile, database }: Pick<SiteFile, 'profile' | 'database'>,
  serving: ServingPlatform,
  positions: Positions,
): readonly Finding[] {
  if (serving.engine === 'duckdb-native') return [];
  const at = (path: Path) => ({
    severity: 'error' as const,
    code: 'target-unsupported',
    file: SITE_NAME,
    ...positionAt(positions, ['profiles', profile, 'database', ...path]),
  });
  const attached = database.attach.map(({ name }, index) => ({
    ...at(['attach', index]),
    message: `The database ${name} cannot be attached on ${nameOf(serving)}.`,
    fix: `Remove it from \`attach\`, ${ELSEWHERE}`,
  }));
  if (!isRemote(database.path)) return attached;
  const message = `The remote database ${database.path} cannot be read on ${nameOf(serving)}.`;
  return [{ ...at(['path']), message, fix: `Name a file of this machine, ${ELSEWHERE}` }, ...attached];
}

/** The error of a statement that reaches outside of the database without an extension for that. */
const OUTSIDE = /^Permission Error: .*disabled (?:by|through) configuration/;

/** The error of a statement that names a table which the database does not have. */
const NO_TABLE = /^Catalog Error: Table with name \S+ does not exist!/;

const PARAMETER_REFUSED = /^Binder Error: Unexpected prepared parameter/;

/** The fix for other errors of a statement. */
export function fixOf({ code, message }: SvcError): string {
  if (OUTSIDE.test(message)) {
    return 'Load the file into a table with `seed.sql` or `svc build --load`, or name an extension for outside data, such as httpfs, under `extensions`.';
  }
  if (NO_TABLE.test(message)) {
    return 'Correct the name, or create the table. `seed.sql` beside svc-site.yml creates the tables of a new database; it runs only if there is no database file.';
  }
  if (PARAMETER_REFUSED.test(message)) {
    return 'Leave parameters out of RETURNING and of definitions, such as CREATE VIEW. DuckDB takes none there.';
  }
  return code === 'database_readonly'
    ? 'Set `readonly: false` for the database of the profile, or write the endpoint as one SELECT.'
    : 'Correct the SQL or the database.';
}

function lacks(what: string, serving: ServingPlatform, name = ''): PlatformIssue {
  return {
    message: `${nameOf(serving)} does not have ${what}.`,
    fix:
      serving.engine === 'duckdb-wasm'
        ? `${replacementOf(name) ?? 'Write the SQL without it'}, ${ELSEWHERE}`
        : 'Name the extension under `extensions` in svc-site.yml, or write the SQL without it.',
  };
}

function nounOf(kind: string): string {
  return /^(Scalar|Table|Aggregate|Macro|Window|Pragma|Function)$/.test(kind)
    ? 'function'
    : kind.toLowerCase();
}

function nameOf({ platform, engine }: ServingPlatform): string {
  return platform === null ? engine : `${platform} (${engine})`;
}

/** Functions of DuckDB's extensions that the wasm engine lacks, with their replacements. Other functions have none. */
const REPLACEMENTS: readonly (readonly [RegExp, string])[] = [
  [
    /^json_(?:each|tree)$/,
    "Use `unnest(json_extract(x, '$[*]'))` for the items of an array, or `unnest(json_keys(x))` for the names of an object",
  ],
  [/^json_(?:group_)?structure$/, 'Use `json_type(x, path)` for one value at a time'],
  [/^(?:read_(?:nd)?json|read_parquet|parquet_)/, 'Load the files when building, with `svc build --load`'],
  [/^icu_(?:sort_key|collate)|^collation/, 'Use `COLLATE NOCASE` or `COLLATE NOACCENT`'],
  [/^(?:range|generate_series)$/, 'Use `unnest(range(a, b, step))`, or cast both ends to TIMESTAMP'],
  [/^strftime/, "Write UTC in the format in place of '%Z'"],
  [/^strptime/, "Use '%z', an offset such as +02:00, in place of '%Z'"],
  [/^(?:time_bucket|make_timestamptz)/, 'Omit the zone, which then is UTC'],
  [/^AT TIME ZONE/, 'Use UTC, or an offset such as +02:00'],
];

/** The replacement of a missing function, as the beginning of a sentence; null if there is none. */
function replacementOf(name: string): string | null {
  return REPLACEMENTS.find(([pattern]) => pattern.test(name))?.[1] ?? null;
}
