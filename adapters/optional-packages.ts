import { type ErrorCode, messageOf, SvcError } from '../src/errors.ts';
import { VERSION } from '../src/version.ts';

/** A part of svc whose packages are optional peer dependencies, because most installations never need it. */
export interface OptionalPart {
  /** The subject of the message that asks for the packages. */
  readonly subject: string;
  /** Each package with its version; a test compares them with package.json. */
  readonly packages: { readonly [name: string]: string };
  /** Another way out, as the end of a sentence. */
  readonly instead?: string;
  readonly code: ErrorCode;
}

export const NATIVE_PART: OptionalPart = {
  subject: 'The native database engine',
  packages: { '@duckdb/node-api': '1.5.5-r.5', '@duckdb/node-bindings': '1.5.5-r.5' },
  instead: 'or use a read-only database with `engine: wasm`',
  code: 'database_unavailable',
};

export const PYODIDE_PART: OptionalPart = {
  subject: 'Python without python3',
  packages: { pyodide: '314.0.7' },
  instead: 'or install python3, or name an interpreter in SVC_PYTHON',
  code: 'python_unavailable',
};

export const BUNDLER_PART: OptionalPart = {
  subject: '`svc build`',
  packages: { esbuild: '0.28.2' },
  code: 'target_unsupported',
};

export const CLIENT_PART: OptionalPart = {
  subject: '`svc call`',
  packages: { '@modelcontextprotocol/client': '2.4.0' },
  code: 'target_unsupported',
};

export const TELEMETRY_PART: OptionalPart = {
  subject: 'Telemetry',
  packages: {
    '@opentelemetry/api': '1.10.0',
    '@opentelemetry/exporter-metrics-otlp-proto': '0.301.0',
    '@opentelemetry/exporter-trace-otlp-proto': '0.301.0',
    '@opentelemetry/resources': '3.1.0',
    '@opentelemetry/sdk-metrics': '3.1.0',
    '@opentelemetry/sdk-trace': '3.1.0',
  },
  instead: 'or set `telemetry.enabled: false`',
  code: 'config_invalid',
};

/** The parts whose versions svc pins. */
export const OPTIONAL_PARTS: readonly OptionalPart[] = [
  NATIVE_PART,
  PYODIDE_PART,
  BUNDLER_PART,
  CLIENT_PART,
  TELEMETRY_PART,
];

/** Loads the module of an optional part. Throws the part's error if a package of it cannot be loaded. */
export async function loadPart<T>(part: OptionalPart, load: () => Promise<T>): Promise<T> {
  try {
    return await load();
  } catch (cause) {
    throw isMissing(part, cause) ? missingPart(part, cause) : cause;
  }
}

/** Whether an import failed because a package of the part is not installed. */
function isMissing({ packages }: OptionalPart, thrown: unknown): boolean {
  const message = messageOf(thrown);
  return (
    /^Cannot find (package|module)/.test(message) &&
    Object.keys(packages).some((name) => message.includes(name))
  );
}

/** The error for an optional part that is not installed, with the command that installs it. */
export function missingPart(part: OptionalPart, cause?: unknown): SvcError {
  const names = Object.keys(part.packages);
  const [noun, verb] = names.length === 1 ? ['package', 'is'] : ['packages', 'are'];
  const instead = part.instead === undefined ? '' : `, ${part.instead}`;
  return new SvcError(
    part.code,
    `${part.subject} needs the ${noun} ${names.join(', ')}, which ${verb} not installed.
${toInstallAdvice(part.packages)}${instead}.`,
    cause === undefined ? {} : { cause },
  );
}

/** The advice that installs packages beside svc: in a project, globally, in a checkout, or instead of npx's own copy. */
export function toInstallAdvice(packages: OptionalPart['packages'], self = import.meta.url): string {
  const specs = Object.entries(packages).map(([name, version]) => `${name}@${version}`);
  if (!self.includes('/node_modules/svc-kit/')) return 'Run `npm ci` in the checkout of svc';
  if (self.includes('/_npx/')) {
    return `Run \`npm install ${[`svc-kit@${VERSION}`, ...specs].join(' ')}\` in your project, then \`npx svc\` again`;
  }
  const global = /\/(lib|npm)\/node_modules\/svc-kit\//.test(self) ? '--global ' : '';
  return `Run \`npm install ${global}${specs.join(' ')}\``;
}
