import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readProjectPackage } from '../../../deploy/project-package.ts';
import { temporaryFolder } from '../../temporary-folder.ts';

async function repositoryOf(repository: unknown): Promise<string | undefined> {
  const root = temporaryFolder();
  await writeFile(join(root, 'package.json'), JSON.stringify({ repository }));
  return (await readProjectPackage(root)).repository;
}

test.each([
  ['ada/shop', 'https://github.com/ada/shop'],
  ['github:ada/shop', 'https://github.com/ada/shop'],
  ['gitlab:ada/tools/shop', 'https://gitlab.com/ada/tools/shop'],
  ['git@github.com:ada/shop.git', 'https://github.com/ada/shop'],
  ['git+ssh://git@github.com/ada/shop.git', 'https://github.com/ada/shop'],
  ['ssh://git@gitlab.com/ada/shop.git', 'https://gitlab.com/ada/shop'],
  ['git://github.com/ada/shop.js.git', 'https://github.com/ada/shop.js'],
  ['git+https://git.example/ada/shop.git', 'https://git.example/ada/shop'],
  ['https://git.example/?p=shop', 'https://git.example/?p=shop'],
  ['https://git.example/ada/shop.git#main', 'https://git.example/ada/shop'],
  ['https://github.com/ada/shop/tree/main/packages/mcp', 'https://github.com/ada/shop'],
  ['https://github.com/ada/shop.git#main', 'https://github.com/ada/shop'],
  ['git+https://github.com/ada/shop.git/', 'https://github.com/ada/shop'],
  ['https://www.GitHub.com/ada/shop/?tab=readme#top', 'https://github.com/ada/shop'],
  ['http://github.com/ada/shop', 'https://github.com/ada/shop'],
  ['https://ada:token@github.com/ada/shop.git', 'https://github.com/ada/shop'],
  ['ssh://git@github.com:22/ada/shop.git', 'https://github.com/ada/shop'],
  ['ada/shop#main', 'https://github.com/ada/shop'],
  ['github:ada/shop.git#v1', 'https://github.com/ada/shop'],
  ['gitlab:ada/shop#main', 'https://gitlab.com/ada/shop'],
  ['https://gitlab.com/ada/tools/shop/-/tree/main/mcp', 'https://gitlab.com/ada/tools/shop'],
  ['https://gitlab.com/ada/shop.git/', 'https://gitlab.com/ada/shop'],
])('the repository %s is %s', async (written, address) => {
  expect(await repositoryOf(written)).toBe(address);
  expect(await repositoryOf({ type: 'git', url: written })).toBe(address);
});

test.each([
  'gist:1234',
  'bitbucket:ada/shop',
  './shop',
  'https://github.com/ada',
  'https://gitlab.com/',
  'ada/shop/packages/mcp',
  '../ada/shop',
  'shop',
  'file:///ada/shop',
  'git@evil.example:ada/shop',
])('the repository %s has no known address', async (written) => {
  expect(await repositoryOf(written)).toBeUndefined();
});
