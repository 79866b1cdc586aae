import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { describe, expect, it } from 'vitest';

/** src from top to bottom: a file imports only from its own folder and from rows below. */
const ROWS = [
  ['src/index.ts'],
  ['src/app.ts'],
  ['src/mcp', 'src/http', 'src/auth', 'src/admin', 'src/quality'],
  ['src/audit'],
  ['src/call'],
  ['src/catalog'],
  ['src/settings'],
  ['src/policy', 'src/sql', 'src/template', 'src/telemetry', 'src/pages', 'src/redaction'],
  ['src/project'],
  ['src/types'],
  [
    'src/context.ts',
    'src/ports.ts',
    'src/errors.ts',
    'src/json.ts',
    'src/keep-latest.ts',
    'src/streams.ts',
    'src/limited-text.ts',
    'src/one-line.ts',
    'src/sql-value.ts',
    'src/crypto',
    'src/public-address.ts',
    'src/served-paths.ts',
    'src/transports.ts',
    'src/version.ts',
  ],
];

/** Which top-level folders each may import. */
const FOLDERS: Record<string, readonly string[]> = {
  src: ['src'],
  adapters: ['adapters', 'src'],
  deploy: ['deploy', 'src', 'adapters'],
  cli: ['cli', 'deploy', 'adapters', 'src'],
  // Browsers run both: of the server the workbench takes types only.
  views: ['views'],
  workbench: ['workbench', 'views', 'cli'],
};

/** A package and the only folders that may import it. */
const OWNERS: readonly [RegExp, readonly string[]][] = [
  [/^@modelcontextprotocol\/server(\/|$)/, ['src/mcp', 'adapters/stdio', 'adapters/sse']],
  [/^@modelcontextprotocol\/client(\/|$)/, ['cli/call']],
  [/^@modelcontextprotocol\/sdk(\/|$)/, ['adapters/node']],
  [/^arctic$/, ['src/auth/upstream']],
  [/^@duckdb\/duckdb-wasm|^apache-arrow|^#duckdb-glue/, ['adapters/duckdb-wasm']],
  [/^@duckdb\/node-api/, ['adapters/duckdb-native']],
  [/^@opentelemetry\//, ['adapters/otel']],
  [/^@anthropic-ai\/sdk$|^openai$/, ['adapters/models']],
  [/^preact(\/|$)/, ['workbench']],
];

/** Evaluates the conditions of the whole project. */
const MATRIX_COMMAND = 'cli/commands/policy.ts';

const files = Object.keys(FOLDERS).flatMap((folder) => sources(folder));
const imports = new Map(files.map((file) => [file, importsOf(file)]));

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((name) => /\.tsx?$/.test(name) && !name.endsWith('.d.ts'));
}

function importsOf(file: string, kind: 'all' | 'values' = 'all'): string[] {
  const whole = readFileSync(file, 'utf8').replace(/\/\*[\s\S]*?\*\//g, '');
  const text = kind === 'all' ? whole : whole.replace(/^(?:import|export) type\b[^;]*;/gm, '');
  const found = text.matchAll(
    /^\s*(?:import|export)\b[^;'"]*?from\s+['"]([^'"]+)['"]|^\s*import\s+['"]([^'"]+)['"]|\bimport\(\s*['"]([^'"]+)['"]/gm,
  );
  return [...found].map(([, a, b, c]) => {
    const specifier = a ?? b ?? c ?? '';
    return specifier.startsWith('.') ? normalize(join(dirname(file), specifier)) : specifier;
  });
}

/** Imports of values: those of types alone are gone when the code runs, so a cycle of them harms nobody. */
const valueImports = new Map(files.map((file) => [file, importsOf(file, 'values')]));

const edges = [...imports].flatMap(([file, targets]) => targets.map((target) => ({ file, target })));
const local = edges.filter(({ target }) => imports.has(target));
const packages = edges.filter(({ target }) => !/^(src|adapters|deploy|cli|views)\//.test(target));
const show = ({ file, target }: { file: string; target: string }) => `${file} -> ${target}`;
const rowOf = (path: string) =>
  ROWS.findIndex((row) => row.some((entry) => path === entry || path.startsWith(`${entry}/`)));
const areaOf = (path: string) => path.split('/').slice(0, 2).join('/');

describe('the direction of imports', () => {
  it('sees the code', () => {
    expect(local.length).toBeGreaterThan(20);
  });

  it('goes from cli to adapters, deploy and src, never back', () => {
    const wrong = local.filter(({ file, target }) => {
      const allowed = FOLDERS[file.split('/')[0] ?? ''] ?? [];
      return !allowed.includes(target.split('/')[0] ?? '');
    });
    expect(wrong.map(show)).toEqual([]);
  });

  it('takes nothing but types from the server into the page of the workbench', () => {
    const foreign = local.filter(
      ({ file, target }) => file.startsWith('workbench/') && !/^(workbench|views)\//.test(target),
    );
    expect(new Set(foreign.map(({ target }) => target))).toEqual(new Set(['cli/workbench/model.ts']));
    expect(foreign.filter(({ file, target }) => valueImports.get(file)?.includes(target)).map(show)).toEqual(
      [],
    );
  });

  it('goes downwards inside src', () => {
    const inside = local.filter(
      ({ file, target }) => file.startsWith('src/') && areaOf(file) !== areaOf(target),
    );
    expect(inside.filter(({ file }) => rowOf(file) === -1).map(show)).toEqual([]);
    expect(
      inside
        .filter(({ file, target }) => rowOf(target) <= rowOf(file) && rowOf(file) < ROWS.length - 1)
        .map(show),
    ).toEqual([]);
  });

  it('resolves every relative import', () => {
    const lost = edges.filter(
      ({ target }) =>
        /^(src|adapters|deploy|cli|views|workbench)\/.*\.tsx?$/.test(target) && !imports.has(target),
    );
    expect(lost.map(show)).toEqual([]);
  });

  it('keeps each package with its owner', () => {
    const wrong = packages.filter(({ file, target }) =>
      OWNERS.some(
        ([name, owners]) => name.test(target) && !owners.some((owner) => file.startsWith(`${owner}/`)),
      ),
    );
    expect(wrong.map(show)).toEqual([]);
  });

  it('keeps what reaches into DuckDB’s C++ objects behind one file', () => {
    const fence = 'adapters/duckdb-wasm/functions/';
    const wrong = local.filter(
      ({ file, target }) =>
        target.startsWith(fence) && !file.startsWith(fence) && target !== `${fence}register.ts`,
    );
    expect(wrong.map(show)).toEqual([]);
    expect(local.filter(({ target }) => target === `${fence}register.ts`).map(({ file }) => file)).toEqual([
      'adapters/duckdb-wasm/engine/engine.ts',
    ]);
  });

  it('keeps Node out of the core', () => {
    expect(
      packages.filter(({ file, target }) => file.startsWith('src/') && target.startsWith('node:')).map(show),
    ).toEqual([]);
    const globals = files.filter(
      (file) =>
        file.startsWith('src/') && /\bprocess\.|\bBuffer\b|__dirname/.test(readFileSync(file, 'utf8')),
    );
    expect(globals).toEqual([]);
  });

  it('lets a command that looks at a project start with little', () => {
    const loaded = [...new Set(loadedWith('cli/commands/list.ts'))].sort();
    expect(loaded).toEqual(['@huggingface/jinja', 'valibot', 'yaml']);
  });

  it('starts commands and servers without the CEL engine, which only conditions need', () => {
    const commands = files.filter((file) => file.startsWith('cli/commands/') && file !== MATRIX_COMMAND);
    const doors = files.filter((file) => /^adapters\/[^/]+\/(?:index|app|entry)\.ts$/.test(file));
    const loads = (file: string) => loadedWith(file).includes('@bufbuild/cel');
    expect([commands.length > 20, doors.length > 5]).toEqual([true, true]);
    expect(loads(MATRIX_COMMAND)).toBe(true);
    expect([...commands, ...doors, 'src/index.ts'].filter(loads)).toEqual([]);
  });

  it('has no cycle of values', () => {
    expect(cycles()).toEqual([]);
  });
});

/** The packages that importing a file loads at once. */
function loadedWith(file: string, seen = new Set<string>()): readonly string[] {
  seen.add(file);
  const now = readFileSync(file, 'utf8').matchAll(/^(?:import|export)\b(?! type)[^;'"]*?from '([^']+)'/gm);
  return [...now].flatMap(([, specifier = '']) => {
    if (!specifier.startsWith('.')) return specifier.startsWith('node:') ? [] : [specifier];
    const target = normalize(join(dirname(file), specifier));
    return seen.has(target) || !imports.has(target) ? [] : loadedWith(target, seen);
  });
}

function cycles(): string[] {
  const state = new Map<string, 'open' | 'done'>();
  const found: string[] = [];
  const visit = (file: string, path: readonly string[]): void => {
    if (state.get(file) === 'done') return;
    if (state.get(file) === 'open') {
      found.push([...path.slice(path.indexOf(file)), file].join(' -> '));
      return;
    }
    state.set(file, 'open');
    for (const target of valueImports.get(file) ?? [])
      if (imports.has(target)) visit(target, [...path, file]);
    state.set(file, 'done');
  };
  for (const file of files) visit(file, []);
  return found;
}

describe('ARCHITECTURE.md', () => {
  const page = readFileSync('ARCHITECTURE.md', 'utf8');

  it('shows the rows of imports as they are enforced', () => {
    const names = (row: readonly string[]) => row.map((path) => path.replace(/^src\/|\.ts$/g, '')).toSorted();
    const shown = section(page, 'The direction of imports')
      .split('\n')
      .filter((line) => line.startsWith('    '));
    expect(shown.map((line) => line.trim().split(', ').toSorted())).toEqual(ROWS.map(names));
  });

  it('names the owner of each package', () => {
    const rows = section(page, 'The direction of imports').matchAll(/^\| (`[^|]+) \| ([^|]+) \|$/gm);
    const owners = Array.from(rows, ([, packages = '', folders = '']) => ({
      packages: quoted(packages),
      folders: quoted(folders),
    }));
    expect(owners.length).toBe(OWNERS.filter(([, folders]) => folders[0] !== 'adapters/node').length);
    for (const { packages, folders } of owners) {
      for (const name of packages) {
        const rule = OWNERS.find(([pattern]) => pattern.test(name.replace('*', 'x')));
        expect({ name, folders: rule?.[1] }).toEqual({ name, folders });
      }
    }
  });

  it('has a row for every folder, and no folder that is gone', () => {
    const shown = new Set(
      Array.from(section(page, 'The tree').matchAll(/^\| `([^`]+)` \|/gm)).flatMap(([, cell = '']) => {
        const [first = '', ...others] = cell.split(' ');
        const parent = first.replace(/[^/]+\/?$/, '');
        return [first, ...others.map((name) => `${parent}${name}`)].map((path) => path.replace(/\/$/, ''));
      }),
    );
    const folders = Object.keys(FOLDERS).flatMap((top) => [
      top,
      ...readdirSync(top, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => `${top}/${name}`),
    ]);
    const left = ['adapters', 'cli/commands'];
    expect(folders.filter((folder) => !shown.has(folder) && !left.includes(folder))).toEqual([]);
    expect([...shown].filter((path) => !existsSync(path))).toEqual([]);
  });

  it('names files that exist', () => {
    const named = Array.from(
      page.matchAll(/`((?:src|adapters|cli|deploy|scripts|test)\/[\w./-]+\.(?:ts|js))`/g),
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.map(([, path = '']) => path).filter((path) => !existsSync(path))).toEqual([]);
  });
});

describe('unit tests', () => {
  /** Folders of tests across files; ARCHITECTURE.md says what they are. */
  const ACROSS = ['app', 'docs', 'auth/flow'];

  it('stand in a folder of the code that they test', () => {
    const folders = readdirSync('test/unit', { recursive: true, encoding: 'utf8' })
      .filter((path) => path.endsWith('.test.ts'))
      .map((path) => dirname(path));
    const lost = [...new Set(folders)].filter(
      (folder) => !ACROSS.includes(folder) && !existsSync(folder) && !existsSync(join('src', folder)),
    );
    expect(lost).toEqual([]);
  });
});

function section(page: string, heading: string): string {
  return page.split(`\n## ${heading}\n`)[1]?.split('\n## ')[0] ?? '';
}

function quoted(cell: string): readonly string[] {
  return Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = '']) => name);
}
