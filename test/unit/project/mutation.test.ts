import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseDocument } from 'yaml';
import { checkCatalog } from '../../../src/catalog/checks/check.ts';
import { compileCatalog } from '../../../src/catalog/compile.ts';
import { cpuMs } from '../cpu.ts';
import { load, SITE, type Tree } from './memory.ts';
import { type Mutant, mutants } from './mutate.ts';
import { complaints } from './well-formed.ts';

const ROOT = 'test/fixtures/projects/full/';
const KINDS = {
  tools: ['sales/top_products.yml', 'add_note.yaml'],
  resources: ['customer.yml', 'terms.yml'],
  prompts: ['review.yml'],
} as const;
const SQL: Tree = Object.fromEntries(
  ['sql/top_products.sql', 'sql/orders.sql'].map((path) => [path, readFileSync(ROOT + path, 'utf8')]),
);

/** Everything that is wrong with a variant, and what a server would make of it. */
async function examine(folder: string, { bytes }: Mutant) {
  const started = cpuMs();
  const project = await load({ 'svc-site.yml': SITE, ...SQL, [`${folder}/sub/one.yml`]: bytes });
  const findings = [...project.findings, ...(await checkCatalog(project))];
  return { project, findings, ms: cpuMs() - started };
}

describe.each(Object.entries(KINDS))('broken files in %s', (folder, names) => {
  const texts = names.map((name) =>
    readFileSync(`${ROOT}${folder}/${name}`, 'utf8').replace('../../sql', '/sql'),
  );

  it('begins with good ones', async () => {
    for (const text of texts) {
      const { findings } = await examine(folder, {
        operator: '',
        bytes: new TextEncoder().encode(text),
        broken: [],
      });
      expect(findings).toEqual([]);
    }
  });

  const all = mutants(texts, 120, 20_260_728);

  it.each([...new Set(all.map(({ operator }) => operator))])('%s', async (operator) => {
    for (const mutant of all.filter((one) => one.operator === operator)) {
      const text = new TextDecoder().decode(mutant.bytes);
      const { project, findings, ms } = await examine(folder, mutant);
      expect(ms, text).toBeLessThan(5_000);
      for (const finding of findings) {
        expect(finding.line, text).toBeGreaterThan(0);
        expect(finding.column, text).toBeGreaterThan(0);
        expect(finding.message, text).toMatch(/^\S/);
        expect(finding.message + finding.fix, text).not.toMatch(/undefined|\[object|\bat .*\.ts:/);
        expect(finding.fix, text).toMatch(/\.$|\?$/);
      }
      const broken = findings.some(({ severity }) => severity === 'error');
      if (mutant.broken)
        expect(mutant.broken, `${findings.map((f) => f.line)}\n${text}`).toContain(nearest(mutant, findings));
      if (!broken) {
        expect(mutant.broken, text).toBeNull();
        const document = parseDocument(text);
        expect(document.errors, text).toEqual([]);
        expect(complaints(document.toJS()), text).toEqual([]);
        await compileCatalog(project);
      }
    }
  });
});

/** The line of the finding that names a line of the damage, or the first one's. */
function nearest({ broken }: Mutant, findings: readonly { readonly line: number }[]): number | undefined {
  return (findings.find(({ line }) => broken?.includes(line)) ?? findings[0])?.line;
}
