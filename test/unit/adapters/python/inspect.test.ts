import { expect, it } from 'vitest';
import { inspectPython } from '../../../../adapters/python/inspect.ts';
import { checkPython, pythonEndpoints } from '../../../../src/quality/python.ts';
import { loadTree } from '../../call/project.ts';
import { PYTHON } from './found.ts';

const PLACE = { root: process.cwd(), env: process.env };

const YAML = (parameters: string) =>
  `tool:\n  name: total\n  parameters: [${parameters}]\n  source: { file: total.py }\n`;

const ID = '{ name: id, type: integer }';

const SOUND: readonly (readonly [string, string, string])[] = [
  ['a plain function', ID, 'def total(id): return id'],
  ['one that is annotated', ID, 'async def total(id: int) -> float: return id'],
  ['one that takes anything', ID, 'def total(**values): return values'],
  ['by name only', ID, 'def total(*, id): return id'],
  ['with defaults of its own', ID, 'def total(id, extra=1, *more): return id'],
  ['with the same default', '{ name: id, type: integer, default: 3 }', 'def total(id=3): return id'],
  [
    'with a default that is more than a value',
    '{ name: id, type: integer, default: 3 }',
    'def total(id=len([])): pass',
  ],
  ['with a default that JSON does not have', ID, 'def total(id=1e999, other=[-1e999]): pass'],
  ['under a condition', ID, 'try:\n    import x\nexcept ImportError:\n    def total(id): return id'],
  ['that is decorated', ID, 'from functools import cache\n@cache\ndef total(anything): pass'],
  ['that is made elsewhere', ID, 'from elsewhere import total'],
  ['that may be made elsewhere', ID, 'from elsewhere import *'],
  ['that is a value', ID, 'total = make()'],
  ['of a date', '{ name: day, type: string, format: date }', 'def total(day: date): pass'],
  ['of texts', '{ name: mail, type: string, format: email }', 'def total(mail: str | None): pass'],
];

const WRONG: readonly (readonly [string, string, string, string | RegExp])[] = [
  [
    'what is no Python',
    ID,
    'def total(id):\n    return (',
    /^error tools\/total\.py:2:12 python-syntax: This is not valid Python: .+\. Correct the line\.$/,
  ],
  [
    'a function that is not there',
    ID,
    'def totl(id): return id',
    'error tools/total.yml:4:19 python-function: tools/total.py has no function total, which total calls. Did you mean totl? Name it total.',
  ],
  [
    'an empty file',
    ID,
    '# soon',
    'error tools/total.yml:4:19 python-function: tools/total.py has no function total, which total calls. Write `def total(…):` into tools/total.py.',
  ],
  [
    'a parameter that is not taken',
    `${ID}, { name: regoin, type: string }`,
    'def total(id, region=None): pass',
    'error tools/total.yml:3:53 python-parameter: The function has no parameter regoin. Did you mean region?',
  ],
  [
    'one that nobody declares',
    ID,
    'def total(id,\n          year): pass',
    'error tools/total.py:2:11 python-parameter: The function needs year, which is not declared under `parameters`. Declare it there, or give it a default.',
  ],
  [
    'one that goes by its place',
    ID,
    'def total(id, /): pass',
    'error tools/total.py:1:11 python-parameter: id is positional only, but arguments are passed by name. Remove the `/` from the parameters of the function.',
  ],
  [
    'another default',
    '{ name: id, type: integer, default: 3 }',
    'def total(id=4): pass',
    'warning tools/total.yml:3:52 python-default: The default of id is 3 here and 4 in Python; the one here applies. Make them equal, or remove the default in Python.',
  ],
  [
    'another type',
    ID,
    'def total(id: list[str]): pass',
    'warning tools/total.yml:3:34 python-type: id is integer here, and `list` in Python. Annotate it as `int`, or correct the type here.',
  ],
  [
    'a date taken for a text',
    '{ name: day, type: string, format: date }',
    'def total(day: str): pass',
    'warning tools/total.yml:3:35 python-type: day is date here, and `str` in Python. Annotate it as `date`, or correct the type here.',
  ],
];

/** What all of them hold, read by one interpreter. */
const texts = Object.fromEntries([...SOUND, ...WRONG].map(([name, , python]) => [name, python]));
const facts = PYTHON === null ? {} : await inspectPython(texts, PLACE);

async function findingsOf(name: string, parameters: string, python: string): Promise<readonly string[]> {
  const project = await loadTree({ 'tools/total.yml': YAML(parameters), 'tools/total.py': python });
  expect(project.findings).toEqual([]);
  const held = facts[name];
  const findings = checkPython(pythonEndpoints(project.endpoints), held ? { 'tools/total.py': held } : {});
  return findings.map(
    ({ severity, code, file, line, column, message, fix }) =>
      `${severity} ${file}:${line}:${column} ${code}: ${message} ${fix}`,
  );
}

it.skipIf(PYTHON === null).each(SOUND)('is content with %s', async (name, parameters, python) => {
  expect(await findingsOf(name, parameters, python)).toEqual([]);
});

it.skipIf(PYTHON === null).each(WRONG)('finds %s', async (name, parameters, python, wanted) => {
  const findings = await findingsOf(name, parameters, python);
  expect(findings).toEqual([typeof wanted === 'string' ? wanted : expect.stringMatching(wanted)]);
});

it('says what is missing where there is no interpreter', async () => {
  const place = { ...PLACE, env: { ...process.env, SVC_PYTHON: '/no/such/python' } };
  await expect(inspectPython({}, place)).rejects.toMatchObject({
    code: 'python_unavailable',
    message: expect.stringContaining('/no/such/python: the program does not exist'),
  });
});
