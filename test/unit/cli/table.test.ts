import { readdirSync, readFileSync } from 'node:fs';
import { Option } from 'commander';
import { describe, expect, it } from 'vitest';
import { commandNameOf } from '../../../cli/command.ts';
import { COMMANDS } from '../../../cli/table.ts';

/** Each name by which code of the command line asks for an option. */
function asked(): readonly string[] {
  const files = readdirSync('cli', { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.ts'),
  );
  const texts = files.map((name) => readFileSync(`cli/${name}`, 'utf8'));
  return texts.flatMap((text) =>
    [...text.matchAll(/\binput\.(?:flag|text|list)\('([^']+)'\)/g)].map(([, name = '']) => name),
  );
}

describe('the table of commands', () => {
  it('has every option that a command asks for, by the name that it is parsed to', () => {
    const named = COMMANDS.flatMap(({ options }) =>
      options.map(({ flags }) => new Option(flags).attributeName()),
    );
    const names = asked();
    expect(names.length).toBeGreaterThan(50);
    expect(names.filter((name) => !named.includes(name))).toEqual([]);
  });

  // Requirements: cli.progress
  it('tells of each command what it does, unless it serves, asks or has a line of its own', () => {
    const silent = COMMANDS.filter(({ busy }) => busy === undefined).map(commandNameOf);
    expect(silent).toEqual([
      'init',
      'serve',
      'dev',
      'admin',
      'auth',
      'call',
      'inspect',
      'completion',
      'connect',
      'dbt',
      'preview',
    ]);
  });
});
