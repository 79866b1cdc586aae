import { expect, it } from 'vitest';
import { compileTemplate, renderTemplate } from '../../../src/template/render.ts';
import { cpuMs } from '../cpu.ts';

const render = (text: string, t: string) => renderTemplate(compileTemplate(text), { t });

it.each(['{{ t | trim }}', '{{ t.strip() }}', '{{ t.lstrip() }}', '{{ t.rstrip() }}'])(
  '%s takes little time over a long text',
  (template) => {
    const start = cpuMs();
    expect(render(template.repeat(28), ' '.repeat(1_000_000))).toBe('');
    expect(cpuMs() - start).toBeLessThan(800);
  },
);

it('characters are removed from the ends in one pass', () => {
  const text = `${'-😀'.repeat(200_000)}a-b${'😀-'.repeat(200_000)}`;
  const start = cpuMs();
  expect(render('{{ t.strip("-😀") }}', text)).toBe('a-b');
  expect(cpuMs() - start).toBeLessThan(2_000);
});

it.each(['title|length', 'wordcount'])('%s pays for the words', (filter) => {
  const text = 'a '.repeat(500_000);
  const start = cpuMs();
  expect(() => render(`{{ t|${filter} }}`.repeat(30), text)).toThrow('takes too long to render');
  expect(cpuMs() - start).toBeLessThan(10_000);
  expect(render(`{{ t|${filter} }}`, text.slice(0, 1_000))).not.toBe('');
});

it('a split at blanks pays for the words', () => {
  expect(() => render('{{ t.split()|length }}'.repeat(30), ' '.repeat(1_000_000))).toThrow('takes too long');
});
