import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { measureCall } from '../../../scripts/shape/call.ts';
import { type Figures, measureFigures } from '../../../scripts/shape/figures.ts';
import { toReport } from '../../../scripts/shape/report.ts';
import { readTree } from '../../../scripts/shape/tree.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

function treeOf(files: Readonly<Record<string, string>>): string {
  const root = temporaryFolder();
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
  }
  return root;
}

function measure(files: Readonly<Record<string, string>>): Figures {
  return measureFigures(readTree(treeOf(files)));
}

describe('the size of a tree', () => {
  it('counts sources and leaves out tests, declarations and other files', () => {
    const figures = measure({
      'src/a.ts': 'export {};\n',
      'scripts/b.js': 'export {};\n',
      'src/c.d.ts': 'export {};\n',
      'src/d.json': '{}\n',
      'test/e.ts': 'export {};\n',
    });
    expect(figures).toMatchObject({ files: 2, lines: 2 });
  });

  it('has the median, the 90th percentile and the largest of the lines a file', () => {
    const sizes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 30];
    const files = sizes.map((size) => [`src/${size}.ts`, 'f();\n'.repeat(size)] as const);
    expect(measure(Object.fromEntries(files)).linesPerFile).toEqual({ median: 5, p90: 9, max: 30 });
  });

  it('names the folders with the most files directly in them', () => {
    const { largestFolders } = measure({
      'src/a.ts': '',
      'src/b.ts': '',
      'src/deep/c.ts': '',
      'cli/d.ts': '',
    });
    expect(largestFolders[0]).toEqual({ folder: 'src', files: 2 });
    expect(largestFolders).toHaveLength(3);
  });

  it('counts lines with code in them, whatever looks like a comment in texts', () => {
    const text = [
      '// a comment',
      '',
      '/** another */ f();',
      'const a = "// no comment";',
      'const b = `',
      `/* nor this \${ { c: \`}\` }.c } */`,
      '`;',
      'const d = /[/]*\\/\\//.test(a) ? 1 / 2 : 3; // but this is one',
      '/* and',
      '   this */',
    ];
    expect(measure({ 'src/a.ts': `${text.join('\n')}\n` }).codeLines).toBe(6);
  });
});

describe('names with several meanings', () => {
  it('lists exported types and functions that several files declare', () => {
    const figures = measure({
      'src/a.ts': 'export interface Place {}\nexport function open() {}\ninterface Own {}\n',
      'cli/b.ts': 'export type Place = string;\nexport async function open() {}\nexport interface Own {}\n',
    });
    expect(figures.sharedTypes).toEqual([{ name: 'Place', files: ['cli/b.ts', 'src/a.ts'] }]);
    expect(figures.sharedFunctions).toEqual([{ name: 'open', files: ['cli/b.ts', 'src/a.ts'] }]);
  });

  it('counts neither re-exports, nor overloads, nor what a template says', () => {
    const figures = measure({
      'src/a.ts': 'export interface Place {}\nexport function f(a: 1): 1;\nexport function f(a: 2): 2;\n',
      'src/b.ts': "export type { Place } from './a.ts';\nconst text = `\nexport interface Place {}\n`;\n",
    });
    expect(figures).toMatchObject({ sharedTypes: [], sharedFunctions: [] });
  });
});

describe('imports', () => {
  it('are counted in every form where they lead to a file of the tree', () => {
    const figures = measure({
      'src/a.ts': [
        "import { b } from './b.ts';",
        "import type {\n  B,\n} from './b.ts';",
        "export * from './b.ts';",
        "import './b.ts';",
        "const late = import('./b.ts');",
        "import fs from 'node:fs';",
        "import gone from './gone.ts';",
        "// import x from './b.ts';\n",
      ].join('\n'),
      'src/b.ts': '',
    });
    expect(figures.codeLines).toBe(9);
    expect(figures.importsPer100Lines).toBeCloseTo(500 / 9);
  });

  it('make a longest chain, in which a circle of types counts once', () => {
    const { longestChain, valueCycles } = measure({
      'cli/a.ts': "import { b } from '../src/b.ts';\nimport { d } from '../src/d.ts';\n",
      'src/b.ts': "import type { C } from './c.ts';\n",
      'src/c.ts': "import type { B } from './b.ts';\nimport { d } from './d.ts';\n",
      'src/d.ts': '',
    });
    expect(longestChain).toEqual(['cli/a.ts', 'src/b.ts + src/c.ts', 'src/d.ts']);
    expect(valueCycles).toEqual([]);
  });

  it('of values that lead back are cycles', () => {
    const { valueCycles } = measure({
      'src/a.ts': "import { b } from './b.ts';\n",
      'src/b.ts': "import { c } from './c.ts';\n",
      'src/c.ts': "import { a } from './a.ts';\n",
    });
    expect(valueCycles).toEqual([['src/a.ts', 'src/b.ts', 'src/c.ts']]);
  });
});

describe('riddles', () => {
  const isRiddle = (comment: string) => measure({ 'src/a.ts': `/** ${comment} */\n` }).riddles.length === 1;

  it.each([
    'What a client is sent.',
    'Of a list, its first item.',
    'A path; of a file, its folder.',
    'Counts what was posted.',
    'Null where it has none.',
    'Tells who watches.',
    'Absent when nobody asks.',
  ])('are found: %s', (comment) => {
    expect(isRiddle(comment)).toBe(true);
  });

  it.each([
    'Returns the rows of a table.',
    'The user who began it.',
    'The folder where it is.',
    'Runs `what` (MCP, "Of what").',
  ])('are none: %s', (comment) => {
    expect(isRiddle(comment)).toBe(false);
  });

  it('have the place of their comment', () => {
    const { docComments, riddles } = measure({
      'src/a.ts': 'f();\n/* What */\n/**\n * What\n * it is.\n */\n',
    });
    expect(docComments).toBe(1);
    expect(riddles).toEqual([{ path: 'src/a.ts', line: 3, text: 'What it is.' }]);
  });
});

describe('one call', () => {
  it('runs files and functions of ours', { timeout: 60_000 }, async () => {
    const figure = await measureCall(process.cwd());
    const ran = 'ran' in figure ? figure.ran : figure;
    expect(ran).toContainEqual(expect.objectContaining({ file: 'src/app.ts' }));
    expect(ran).not.toContainEqual(
      expect.objectContaining({ file: expect.stringMatching(/node_modules|^scripts/) }),
    );
  });

  it('is reported as not measured where there is no server', async () => {
    const root = treeOf({ 'src/a.ts': '/** What. */\nexport {};\n', 'examples/hello/svc-site.yml': '' });
    const report = toReport(measureFigures(readTree(root)), await measureCall(root), {
      names: true,
      comments: true,
      call: true,
    });
    expect(report).toMatch(/^one warm tools\/call runs +not measured: the server printed no address/m);
    expect(report).toContain('src/a.ts:1: What.');
  });
});
