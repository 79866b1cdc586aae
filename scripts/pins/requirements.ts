/** The packages that pip would install with one version of Python. */
interface Resolved {
  readonly python: string;
  readonly packages: readonly Wheel[];
}

interface Wheel {
  readonly name: string;
  readonly version: string;
  /** SHA-256. */
  readonly hash: string;
  /** Whether it fits each processor and version of Python. */
  readonly anywhere: boolean;
}

/** One version of a package, and the versions of Python that it is installed with. */
export interface Pin {
  readonly name: string;
  readonly version: string;
  readonly pythons: readonly string[];
  readonly anywhere: boolean;
  readonly hashes: Set<string>;
}

/** Merges the packages that each version of Python would install, sorted by name. */
export function mergePins(resolved: readonly Resolved[], pythons: readonly string[]): readonly Pin[] {
  const found = resolved.flatMap(({ python, packages }) => packages.map((one) => ({ ...one, python })));
  const groups = Object.values(Object.groupBy(found, ({ name, version }) => `${name} ${version}`));
  return groups
    .flatMap((group = []): Pin[] => {
      const [first] = group;
      if (first === undefined) return [];
      const own = pythons.filter((python) => group.some((one) => one.python === python));
      return [{ ...first, pythons: own, hashes: new Set(group.map(({ hash }) => hash)) }];
    })
    .toSorted((left, right) => (`${left.name} ${left.version}` < `${right.name} ${right.version}` ? -1 : 1));
}

/** Writes a file of requirements for `pip install --require-hashes`. */
export function toRequirements(pins: readonly Pin[], pythons: readonly string[]): string {
  const lines = pins.map(({ name, version, pythons: own, hashes }) => {
    const markers = own.map((python) => `python_version == "${python}"`).join(' or ');
    const marker = own.length === pythons.length ? '' : ` ; ${markers}`;
    return [
      `${name}==${version}${marker}`,
      ...[...hashes].toSorted().map((hash) => `    --hash=sha256:${hash}`),
    ].join(' \\\n');
  });
  return `# Written by \`npm run pins\`.\n${lines.join('\n')}\n`;
}
