import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { sendLegacy } from '../../legacy-request.ts';
import { PYTHON } from '../adapters/python/found.ts';
import { folder, Svc, svc } from './svc.ts';

// two programs start, one of them with Python
vi.setConfig({ testTimeout: 60_000 });

const SOURCES = {
  code: "source: { code: SELECT text || ' code' AS text FROM notes }",
  file: 'source: { file: ../notes.sql }',
  python: 'language: python\n  source: { file: ../notes.py }',
};

function notes(): string {
  const root = folder();
  for (const name of ['tools', 'resources']) mkdirSync(join(root, name));
  writeFileSync(join(root, 'svc-site.yml'), 'svc: 1\nproject: demo\nprofile: default\n');
  writeFileSync(join(root, 'notes.sql'), "SELECT text || ' file' AS text FROM notes");
  const reads = `[{"text": row["text"] + " python"} for row in db.execute("FROM notes")]`;
  const functions = ['python', 'from_python'].map((name) => `def ${name}():\n    return ${reads}\n`);
  writeFileSync(join(root, 'notes.py'), `from svc.runtime import db\n${functions.join('')}`);
  for (const [name, source] of Object.entries(SOURCES)) {
    writeFileSync(join(root, `tools/${name}.yml`), `svc: 1\ntool:\n  name: ${name}\n  ${source}\n`);
    const resource = `svc: 1\nresource:\n  uri: notes://${name}\n  name: from_${name}\n  ${source}\n`;
    writeFileSync(join(root, `resources/${name}.yml`), resource);
  }
  return root;
}

// Requirements: service.2
it.skipIf(PYTHON === null)(
  'tools and resources are SQL in the YAML, SQL in a file, or a Python function',
  async () => {
    const root = notes();
    const written = await svc(['query', "CREATE TABLE notes AS SELECT 'kept' AS text"], root);
    expect(written).toMatchObject({ code: 0 });
    const server = new Svc(['serve', '--port', '0', '--json'], { cwd: root });
    const { url } = JSON.parse((await server.until(/^.*\n/))[0]);
    const send = async (method: string, params: object) =>
      JSON.parse(await (await sendLegacy(url, method, params)).text()).result;
    for (const name of Object.keys(SOURCES)) {
      const rows = `[{"text":"kept ${name}"}]`;
      const { content } = await send('tools/call', { name, arguments: {} });
      expect(content).toEqual([{ type: 'text', text: rows }]);
      const { contents } = await send('resources/read', { uri: `notes://${name}` });
      expect(contents).toMatchObject([{ uri: `notes://${name}`, text: rows }]);
    }
  },
);
