import { expect, it } from 'vitest';
import type { JsonObject } from '../../../src/json.ts';
import { createHiddenTexts } from '../../../src/redaction/hidden-texts.ts';
import { createRedactor, createTextRedactor } from '../../../src/redaction/redact.ts';
import { formsOf } from '../../../src/redaction/text-forms.ts';
import type { Parameter } from '../../../src/types/node.ts';
import { cpuMs } from '../cpu.ts';

/** So many texts of a call are hidden. */
const MANY = 1_900;

const parameters: readonly Parameter[] = [
  { name: 'pins', type: 'array', sensitive: true, items: { type: 'string' } },
  { name: 'open', type: 'object' },
];

/** A text with ten different forms. */
const pinOf = (index: number): string => `é'/ "${index.toString(36).padStart(3, '0')}`;

const textsOf = (count: number): string[] => Array.from({ length: count }, (_, index) => pinOf(index));

/** An object that gives a record as many names and texts as it has room for. */
const openOf = (count: number): JsonObject =>
  Object.fromEntries(
    Array.from({ length: count / 10 }, (_, index) => [
      `group ${index}`,
      Object.fromEntries(Array.from({ length: 10 }, (__, field) => [`key no. ${field}`, `text ${field}`])),
    ]),
  );

/** The least processor time of several runs. */
function timeOf(run: () => unknown): number {
  const times = Array.from({ length: 3 }, () => {
    const begun = cpuMs();
    run();
    return cpuMs() - begun;
  });
  return Math.min(...times);
}

const record = (args: JsonObject) => () => {
  const redactor = createRedactor();
  redactor.arguments(args, parameters);
  redactor.result(args.open ?? null, null);
};

const logLine = (args: JsonObject) => () =>
  createTextRedactor({ args, parameters, credentials: [] })('failed');

it.each([
  ['a record', record, 'pins'],
  ['a record with an unknown argument', record, 'unknown'],
  ['a line of the log', logLine, 'pins'],
  ['a line of the log about an unknown argument', logLine, 'unknown'],
])('%s does not search each text for each hidden text', (_, make, name) => {
  const open = openOf(400);
  const both = timeOf(make({ [name]: textsOf(MANY), open }));
  const apart = timeOf(make({ [name]: textsOf(MANY) })) + timeOf(make({ [name]: textsOf(1), open }));
  // It takes up to 25 times as long, and took 400 times as long when each text was searched for each form.
  expect(both).toBeLessThan(100 * Math.max(apart, 2));
});

it('each of many texts is removed in each form, also beside others', () => {
  const { remove } = createHiddenTexts(textsOf(MANY));
  const left = [0, 1, 1_000, MANY - 1].flatMap((index) =>
    formsOf(pinOf(index)).filter(
      (form) =>
        remove(form) !== '[REDACTED]' ||
        remove(`before ${form}${form} after`) !== 'before [REDACTED][REDACTED] after',
    ),
  );
  expect(left).toEqual([]);
  expect(remove(`é'/ "zzz, é'/ "0`)).toBe(`é'/ "zzz, é'/ "0`);
});

it('the same is removed, whether few or many texts are hidden', () => {
  const few = ['planted', 'planted-and-more', ' planted two\nand three ', 'ünter-wegs', '4111111111111111'];
  const texts = [
    'a planted-and-more, planted.',
    'planted two',
    'and three!',
    '%C3%BCnter-wegs',
    'x4111111111111111',
  ];
  const others = Array.from({ length: 500 }, (_, index) => `planted by others ${index}`);
  const [one, other] = [createHiddenTexts(few), createHiddenTexts([...few, ...others])];
  expect(texts.map((text) => other.remove(text))).toEqual(texts.map((text) => one.remove(text)));
});

it('a text that is added later is removed, too', () => {
  const { add, remove } = createHiddenTexts(textsOf(MANY));
  expect(remove('a later one')).toBe('a later one');
  add('later');
  expect(remove('a later one')).toBe('a [REDACTED] one');
});

it('texts of a call that take too long to search are removed as a whole', () => {
  // At each `a`, the hidden text of each length is possible.
  const pins = Array.from({ length: 1_500 }, (_, index) => `aaaa${'b'.repeat(index + 1)}`);
  const redactor = createRedactor();
  redactor.arguments({ pins }, parameters);
  const texts = Array.from({ length: 14 }, () => 'aaaac'.repeat(200));
  const shown = redactor.result(['short', ...texts], null);
  expect(shown).toEqual(['short', ...texts.map(() => '[REDACTED]')]);
  expect(redactor.text('short')).toBe('[REDACTED]');
  // Another call.
  redactor.arguments({ pins }, parameters);
  expect(redactor.text('short')).toBe('short');
});
