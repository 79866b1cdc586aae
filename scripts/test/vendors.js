import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DEVELOPMENT_NODE, ROOT } from '../setup/root.js';
import { installOnce } from './install-once.js';
import { tried } from './tried.js';

/** Packages whose clients and converters the tests run. The light ones are small, and run in CI. */
const LIGHT = {
  npm: [
    '@ai-sdk/mcp@2.0.99',
    '@anthropic-ai/sdk@1.12.0',
    '@google/genai@3.1.0',
    '@modelcontextprotocol/client@2.4.0',
    '@modelcontextprotocol/sdk@1.32.2',
    'mcp-remote@0.15.1',
  ],
  python: ['mcp==2.3.0', 'google-genai==3.4.0'],
};
const ALL = {
  npm: [
    ...LIGHT.npm,
    '@ai-sdk/anthropic@4.0.105',
    '@ai-sdk/google@4.0.121',
    '@ai-sdk/openai@4.0.118',
    '@modelcontextprotocol/inspector@2.12.0',
    '@openai/agents@0.20.0',
    'ai@7.0.173',
  ],
  python: [
    ...LIGHT.python,
    'anthropic==2.12.0',
    'fastmcp==4.1.2',
    'llama-index-tools-mcp==0.6.0',
    'openai-agents==0.24.0',
    'pydantic-ai-slim[anthropic,mcp,openai]==2.68.0',
  ],
  // It needs version 1 of the package mcp.
  langchain: ['langchain-mcp-adapters==0.3.2'],
};

/** The folder with the light packages. Without a package index it is null, with the reason. */
export function ensureLightVendors() {
  return ensure(join(ROOT, 'build/vendors-light'), LIGHT);
}

/** The folder with all packages: 1 GB. */
export function ensureVendors() {
  return ensure(join(ROOT, 'build/vendors'), ALL);
}

async function ensure(folder, { npm, ...environments }) {
  const packages = [npm, ...Object.values(environments)].flat();
  const reason = await installOnce(folder, packages, async () => {
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, 'package.json'), '{ "private": true, "type": "module" }\n');
    const steps = [
      () => installNpm(folder, npm),
      ...Object.entries(environments).map(
        ([name, wanted]) =>
          () =>
            installPython(join(folder, name), wanted),
      ),
    ];
    for (const step of steps) {
      const failed = await step();
      if (failed !== '') return failed;
    }
    return '';
  });
  return { bin: reason === '' ? folder : null, reason };
}

/** With the Node that runs the tests, because npm chooses versions by it. */
function installNpm(folder, packages) {
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--save-exact', ...packages];
  return tried(
    'env',
    [`PATH=${join(DEVELOPMENT_NODE, '..')}:${process.env.PATH}`, 'npm', ...args],
    'npm failed',
    folder,
  );
}

async function installPython(folder, packages) {
  const failed = await tried('python3', ['-m', 'venv', folder], 'python3 could not make an environment');
  if (failed !== '') return failed;
  return tried(join(folder, 'bin/pip'), ['install', '--quiet', ...packages], 'pip failed');
}
