import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { editorSchemaOf } from '../../../src/quality/editor/files.ts';
import { folder, svc } from './svc.ts';

describe('svc schema', () => {
  it('prints the schema of endpoint files, or of the site file, outside of projects too', async () => {
    const cwd = folder();
    const [endpoint, site] = await Promise.all([
      svc(['schema'], cwd),
      svc(['schema', 'site', '--json'], cwd),
    ]);
    expect([endpoint.code, site.code]).toEqual([0, 0]);
    expect(JSON.parse(endpoint.stdout)).toEqual(editorSchemaOf('endpoint'));
    expect(JSON.parse(site.stdout)).toEqual(editorSchemaOf('site'));
  });

  it('writes it where --out says, and tells how editors find it', async () => {
    const cwd = folder();
    const { code, stdout } = await svc(['schema', '--out', '.svc/endpoint.json'], cwd);
    expect(code).toBe(0);
    expect(stdout).toContain('# yaml-language-server: $schema=.svc/endpoint.json');
    expect(JSON.parse(readFileSync(join(cwd, '.svc/endpoint.json'), 'utf8'))).toEqual(
      editorSchemaOf('endpoint'),
    );
    const again = await svc(['schema', 'site', '--out', 'site.json', '--json'], cwd);
    expect(JSON.parse(again.stdout)).toEqual({ status: 'ok', file: 'site', path: 'site.json' });
  });

  it('knows no other file, with 2', async () => {
    const { code, stderr } = await svc(['schema', 'tools'], folder());
    expect(code).toBe(2);
    expect(stderr).toContain('Choose endpoint, site, evals, python.');
  });

  it('writes the types of svc.runtime where editors of Python look', async () => {
    const cwd = folder();
    const { stdout } = await svc(['schema', 'python', '--out', 'typings/svc/runtime.pyi'], cwd);
    expect(stdout).toContain('wrote typings/svc/runtime.pyi');
    expect(readFileSync(join(cwd, 'typings/svc/runtime.pyi'), 'utf8')).toContain('def on_init(');
  });
});
