import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { toBash, toCompleted, toFish, toZsh } from '../../../cli/commands/completion.ts';
import { COMMANDS } from '../../../cli/table.ts';
import { ARCHITECTURES } from '../../../deploy/native/architecture.ts';
import { ENDPOINT_KINDS } from '../../../src/project/model.ts';
import { EDITOR_FILES } from '../../../src/quality/editor/files.ts';
import { ALLOWABLE } from '../../../src/quality/gate/report.ts';
import { SEVERITIES } from '../../../src/quality/lint/lint.ts';
import { TRANSPORT_NAMES } from '../../../src/transports.ts';
import { folder, svc } from './svc.ts';

const COMPLETED = toCompleted(COMMANDS);
const has = (shell: string) => spawnSync(shell, ['--version']).status === 0;

function scriptFile(text: string): string {
  const file = join(folder(), 'script');
  writeFileSync(file, text);
  return file;
}

/** What real bash would offer for the last word of each line. */
function completeInBash(lines: readonly (readonly string[])[]): readonly (readonly string[])[] {
  const file = scriptFile(toBash(COMPLETED));
  const asked = lines.map((words) => {
    const quoted = ['svc', ...words].map((word) => `'${word}'`).join(' ');
    return `COMP_WORDS=(${quoted}); COMP_CWORD=${words.length}; COMPREPLY=(); _svc; echo "\${COMPREPLY[*]}"`;
  });
  const script = `source '${file}'; complete -p svc >/dev/null || exit 1; ${asked.join('; ')}`;
  const out = execFileSync('bash', ['--norc', '-c', script], { encoding: 'utf8' });
  return out
    .split('\n')
    .slice(0, lines.length)
    .map((line) => line.split(' ').filter(Boolean));
}

describe.skipIf(!has('bash'))('completion in bash', () => {
  it('offers commands, options, known values and words', () => {
    const [all = [], one, options, word, value, any, afterFolder, shell] = completeInBash([
      [''],
      ['dbt-'],
      ['run', '--ta'],
      ['run', ''],
      ['build', '--target', 'aws'],
      ['serve', '--port', ''],
      ['-C', '/tmp', 'connect', 'code'],
      ['completion', 'z'],
    ]);
    expect(all).toEqual(expect.arrayContaining([...COMPLETED.map(({ name }) => name), '--help', '-C']));
    expect({ one, options, word, value, any, afterFolder, shell }).toEqual({
      one: ['dbt-config'],
      options: ['--target'],
      word: ['tool', 'resource', 'prompt'],
      value: ['aws-lambda'],
      any: [],
      afterFolder: ['codex'],
      shell: ['zsh'],
    });
  });

  it('offers the first argument after an option with a value', () => {
    const offered = completeInBash([
      ['run', '--target', 'wasm', ''],
      ['run', '--target', '=', 'wasm', ''],
      ['run', '--skip-output-validation', ''],
      ['-C', '/tmp', 'auth', '--scope', 'a', 'k'],
      ['run', '--target', 'wasm', 'tool', ''],
    ]);
    const kinds = ['tool', 'resource', 'prompt'];
    expect(offered).toEqual([kinds, kinds, kinds, ['keygen'], []]);
  });
});

describe.skipIf(!has('fish'))('completion in fish', () => {
  it('offers the same', () => {
    const file = scriptFile(toFish(COMPLETED));
    const script = `source ${file}; complete -C 'svc dbt-'; complete -C 'svc build --target aws'; complete -C 'svc connect code'`;
    const out = execFileSync('fish', ['--no-config', '-c', script], { encoding: 'utf8' });
    const words = out.split('\n').map((line) => line.split('\t')[0]);
    expect(words.filter(Boolean)).toEqual(['dbt-config', 'aws-lambda', 'codex']);
  });
});

describe.skipIf(!has('zsh'))('completion in zsh', () => {
  it('is taken', () => {
    const script = `autoload -U compinit; compinit -D; source '${scriptFile(toZsh(COMPLETED))}'; print $_comps[svc]`;
    expect(execFileSync('zsh', ['-f', '-c', script], { encoding: 'utf8' })).toBe('_svc\n');
  });
});

it('knows the values that commands know', () => {
  const command = (name: string) => COMPLETED.find((one) => one.name === name);
  const values = (name: string, option: string) =>
    command(name)?.options.find(({ names }) => names.includes(option))?.values;
  expect(values('serve', '--transport')).toEqual(TRANSPORT_NAMES);
  expect(values('config', '--transport')).toEqual(TRANSPORT_NAMES);
  for (const option of ['--severity', '--fail-on']) expect(values('lint', option)).toEqual(SEVERITIES);
  expect(values('build', '--allow')).toEqual(ALLOWABLE);
  expect(values('build', '--arch')).toEqual(Object.keys(ARCHITECTURES));
  expect(values('connect', '--scope')).toEqual(['user', 'project']);
  expect(values('log', '--type')).toEqual(ENDPOINT_KINDS);
  expect(values('log', '--status')).toEqual(['success', 'error']);
  expect(values('log', '--policy')).toEqual(['allow', 'deny', 'n/a']);
  expect(command('schema')?.words).toEqual([...EDITOR_FILES, 'python']);
  expect(command('auth')?.words).toEqual(['keygen', 'api-key']);
  expect(command('policy')?.words).toEqual(['matrix']);
  expect(command('doctor')?.words).toEqual(['auth']);
});

describe('svc completion', () => {
  it('prints the script of a shell, and knows no other', async () => {
    const [bash, other] = [
      await svc(['completion', 'bash'], folder()),
      await svc(['completion', 'cmd'], folder()),
    ];
    expect(bash).toMatchObject({ code: 0, stdout: toBash(COMPLETED) });
    expect(other).toMatchObject({ code: 2, stderr: expect.stringContaining('Choose bash, zsh, fish') });
  });
});
