import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { API_PAGE, toApiPage } from '../../../../scripts/docs/api.ts';
import { toApiReport } from '../../../../scripts/package/api.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

describe('the page of the public API', () => {
  it('is what the compiled package exports; `node scripts/docs/write.ts` after a build writes it', () => {
    expect(readFileSync(API_PAGE, 'utf8')).toBe(toApiPage());
  });

  it('has every declaration that an exported name mentions, also across files', () => {
    const folder = temporaryFolder();
    const file = (name: string, text: string) => writeFileSync(join(folder, name), text);
    file('index.d.ts', "export { open } from './open.ts';\n");
    file(
      'open.d.ts',
      "import type { Options } from './options.ts';\n/** Opens. */\nexport declare function open(options: Options): Opened;\ninterface Opened {\n    close(): void;\n}\ninterface Unrelated {\n}\nexport {};\n",
    );
    file('options.d.ts', 'export interface Options {\n    readonly path: string;\n}\n');
    const report = () => toApiReport({ '.': join(folder, 'index.d.ts') });
    const before = report();
    expect(before).toContain('declare function open(options: Options): Opened;');
    expect(before).toContain('close(): void;');
    expect(before).toContain('readonly path: string;');
    expect(before).not.toMatch(/Unrelated|Opens/);
  });
});
