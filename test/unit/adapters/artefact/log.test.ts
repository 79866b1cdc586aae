import { describe, expect, it } from 'vitest';
import { createStartLog } from '../../../../adapters/artefact/log.ts';
import type { LogLine } from '../../../../src/ports.ts';
import type { Settings } from '../../../../src/settings/model.ts';
import { settingsOf } from '../../settings/fixture.ts';

const LEVELS = ['debug', 'info', 'warn', 'error'] as const;

describe('the log of an artefact', () => {
  it('has everything until the settings say what is wanted', async () => {
    const lines: LogLine[] = [];
    const { log, levels: taken, ...started } = createStartLog((line) => lines.push(line));
    const follow = (settings: Settings | null, env = {}) => started.follow(settings, env);
    const levels = () => {
      lines.length = 0;
      for (const level of LEVELS) log({ level, message: level });
      return lines.map(({ message }) => message);
    };
    expect(levels()).toEqual(LEVELS);
    follow(await settingsOf({ user: 'svc: 1\nlogging: { level: ERROR }\n' }));
    expect(levels()).toEqual(['error']);
    follow(await settingsOf({}));
    expect(levels()).toEqual(['info', 'warn', 'error']);
    follow(await settingsOf({ env: { SVC_DEBUG: '1' } }));
    expect(levels()).toEqual(LEVELS);
    follow(await settingsOf({ user: 'svc: 1\nlogging: { enabled: false }\n' }));
    expect(levels()).toEqual([]);
    follow(null);
    expect([levels(), taken.has('debug')]).toEqual([['info', 'warn', 'error'], false]);
    follow(null, { SVC_DEBUG: '1' });
    expect([levels(), taken.has('debug')]).toEqual([LEVELS, true]);
  });
});
