import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { changeClientFile, readClientFile } from '../../../../cli/connect/client-file.ts';
import { CLIENTS } from '../../../../cli/connect/clients.ts';
import { planMerge } from '../../../../cli/connect/merge.ts';
import { temporaryFolder } from '../../../temporary-folder.ts';

/** Adds a server to a file, after something else happened to it. */
function add(file: string, name: string, meanwhile: () => void = () => {}) {
  const client = CLIENTS.find((one) => one.name === 'cursor');
  if (!client) throw new Error('cursor');
  const entry = client.entry({ kind: 'url', url: `http://${name}` });
  return changeClientFile(file, (text) => {
    const plan = planMerge(file, text, { client, name, entry });
    meanwhile();
    return plan;
  });
}

const serversOf = (file: string) => Object.keys(JSON.parse(readFileSync(file, 'utf8')).mcpServers);

describe("changing a client's file", () => {
  it('loses nothing where many change it at once, and keeps a copy before each', async () => {
    const root = temporaryFolder();
    const file = join(root, 'mcp.json');
    writeFileSync(file, '{"mcpServers": {}}');
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    const done = await Promise.all(names.map((name) => add(file, name)));
    expect(serversOf(file).toSorted()).toEqual(names);
    const backups = done.map(({ backup }) => backup ?? '');
    const sizes = backups.map((backup) => serversOf(backup).length);
    expect(sizes.toSorted()).toEqual([0, 1, 2, 3, 4, 5]);
    expect(readdirSync(root)).toHaveLength(7);
  });

  it('begins again where the client itself has written meanwhile', async () => {
    const root = temporaryFolder();
    const file = join(root, 'mcp.json');
    writeFileSync(file, '{"mcpServers": {}}');
    const writes = ['{"mcpServers": {"theirs": {}}}', '{"mcpServers": {"theirs": {}}, "more": 1}'];
    const { backup } = await add(file, 'ours', () => {
      const text = writes.shift();
      if (text !== undefined) writeFileSync(file, text);
    });
    expect(serversOf(file)).toEqual(['theirs', 'ours']);
    expect(readFileSync(file, 'utf8')).toContain('"more": 1');
    expect(readFileSync(backup ?? '', 'utf8')).toBe('{"mcpServers": {"theirs": {}}, "more": 1}');
    expect(readdirSync(root)).toHaveLength(2);
  });

  it('gives up on a file that never rests, and leaves it as it is', async () => {
    const root = temporaryFolder();
    const file = join(root, 'mcp.json');
    let count = 0;
    const write = () => {
      count += 1;
      writeFileSync(file, `{"count": ${count}}`);
    };
    await expect(add(file, 'ours', write)).rejects.toMatchObject({ code: 'busy' });
    expect(readFileSync(file, 'utf8')).toBe(`{"count": ${count}}`);
    expect(readdirSync(root)).toEqual(['mcp.json']);
  });

  it('goes where a link leads, be the file there or not', async () => {
    const root = temporaryFolder();
    const [link, file] = [join(root, 'link.json'), join(root, 'dotfiles/mcp.json')];
    symlinkSync('dotfiles/mcp.json', link);
    await add(link, 'a');
    await add(link, 'b');
    expect(serversOf(file)).toEqual(['a', 'b']);
    expect(readFileSync(link, 'utf8')).toBe(readFileSync(file, 'utf8'));
    expect(readdirSync(join(root, 'dotfiles'))).toEqual(['mcp.json']);
  });

  // Only an administrator may give files to others, as under sudo.
  it.runIf(process.getuid?.() === 0)('leaves the file to its owner', async () => {
    const file = join(temporaryFolder(), 'mcp.json');
    writeFileSync(file, '{}', { mode: 0o600 });
    chownSync(file, 12_345, 12_346);
    await add(file, 'a');
    expect(statSync(file)).toMatchObject({ uid: 12_345, gid: 12_346, mode: 0o100600 });
  });

  it('takes over from one that died', async () => {
    const file = join(temporaryFolder(), 'mcp.json');
    writeFileSync(`${file}.svc-lock`, '1');
    utimesSync(`${file}.svc-lock`, 0, 0);
    await add(file, 'a');
    expect(serversOf(file)).toEqual(['a']);
    expect(existsSync(`${file}.svc-lock`)).toBe(false);
  });

  it('leaves alone what is no text, and says of a folder that it is one', async () => {
    const root = temporaryFolder();
    const file = join(root, 'mcp.json');
    const bytes = Buffer.from('{"a": "caf\xe9"}', 'latin1');
    writeFileSync(file, bytes);
    await expect(add(file, 'a')).rejects.toThrow(/mcp\.json cannot be read: it is not UTF-8\. Nothing/);
    expect(readFileSync(file).equals(bytes)).toBe(true);
    mkdirSync(join(root, 'x'));
    await expect(readClientFile(join(root, 'x'))).rejects.toMatchObject({
      code: 'file_unavailable',
      message: expect.stringContaining('/x cannot be used: it is a folder'),
    });
    expect(await readClientFile(join(root, 'none'))).toBeNull();
  });
});
