import { SvcError } from '../../src/errors.ts';

/** A processor by the names that others give it. */
interface ArchitectureNames {
  /** In the names of npm packages, and `process.arch`. */
  readonly npm: string;
  /** In the paths of DuckDB's extensions. */
  readonly duckdb: string;
  /** As the platform of a container image. */
  readonly docker: string;
}

/** The processors that native artefacts are built for, by AWS's names. All run Linux. */
export const ARCHITECTURES = {
  x86_64: { npm: 'x64', duckdb: 'linux_amd64', docker: 'linux/amd64' },
  arm64: { npm: 'arm64', duckdb: 'linux_arm64', docker: 'linux/arm64' },
} as const satisfies { readonly [name: string]: ArchitectureNames };

/** A processor, as `--arch` takes it. */
export type Architecture = keyof typeof ARCHITECTURES;

const NAMES: readonly Architecture[] = ['x86_64', 'arm64'];

/** Parses `--arch`. Throws usage for another processor. */
export function parseArchitecture(text: string): Architecture {
  const found = NAMES.find((name) => name === text);
  if (found) return found;
  throw new SvcError('usage', `--arch ${text} is not known. Choose ${NAMES.join(' or ')}.`);
}

/** The processor of this machine. Throws target_unsupported if no native artefact is built for it. */
export function thisArchitecture(): Architecture {
  const found = NAMES.find((name) => ARCHITECTURES[name].npm === process.arch);
  if (found) return found;
  throw new SvcError(
    'target_unsupported',
    `Native artefacts run on ${NAMES.join(' and ')}, and this machine has ${process.arch}. Choose one with --arch.`,
  );
}

/** Whether this machine runs an artefact for the processor. */
export function runsHere(arch: Architecture): boolean {
  return process.platform === 'linux' && ARCHITECTURES[arch].npm === process.arch;
}
