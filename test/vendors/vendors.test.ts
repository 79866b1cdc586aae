import { execFile } from 'node:child_process';
import { copyFileSync, cpSync, existsSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { toProfileSchema } from '../../src/catalog/schema-profile.ts';
import type { JsonObject } from '../../src/json.ts';
import { folder, Svc } from '../unit/cli/svc.ts';
import { type ConverterRecord, readRecords, STEPS, storeRecords } from './records.ts';
import { type FindOutside, outsideAnthropic, outsideGoogle, outsideOpenai } from './subsets.ts';
import { exampleTools, generatedTools, type ListedTool } from './tools.ts';

/* Vendors' converters and client libraries, with the packages that `scripts/test/vendors.js` installs. */

const FOLDER = process.env.SVC_TEST_VENDORS;
const WRITE = process.env.SVC_TEST_VENDORS_WRITE === '1';
const SLOW = 300_000;

/** The environment that has the packages: Node's, or a folder with a Python. */
type Runner = 'node' | 'python' | 'langchain';

interface Converter {
  readonly runner: Runner;
  /** The name in converters.py or converters.mjs, if it differs. */
  readonly of?: string;
  readonly profile?: 'gemini';
  /** Present if only the vendor's server checks the converted schema. */
  readonly documented?: FindOutside;
  readonly light?: boolean;
}

const CONVERTERS: { readonly [name: string]: Converter } = {
  '@anthropic-ai/sdk': { runner: 'node', documented: outsideAnthropic, light: true },
  '@google/genai': { runner: 'node', light: true },
  '@openai/agents': { runner: 'node' },
  '@openai/agents, strict': { runner: 'node', documented: outsideOpenai },
  'AI SDK, Anthropic': { runner: 'node', documented: outsideAnthropic },
  'AI SDK, Google': { runner: 'node', documented: outsideGoogle },
  'AI SDK, OpenAI': { runner: 'node' },
  'google-genai': { runner: 'python', light: true },
  'google-genai, schema_profile=gemini': {
    runner: 'python',
    of: 'google-genai',
    profile: 'gemini',
    documented: outsideGoogle,
    light: true,
  },
  anthropic: { runner: 'python', documented: outsideAnthropic },
  'openai-agents': { runner: 'python' },
  'openai-agents, strict': { runner: 'python', documented: outsideOpenai },
  'pydantic-ai, OpenAI': { runner: 'python' },
  'pydantic-ai, OpenAI strict': { runner: 'python', documented: outsideOpenai },
  'pydantic-ai, Google': { runner: 'python' },
  'pydantic-ai, Anthropic': { runner: 'python', documented: outsideAnthropic },
  'llama-index-tools-mcp': { runner: 'python' },
  'langchain-mcp-adapters': { runner: 'langchain' },
  'langchain-mcp-adapters, strict': { runner: 'langchain', documented: outsideOpenai },
};

interface Library {
  readonly runner: Runner;
  readonly transports?: readonly string[];
  readonly light?: boolean;
}

const TRANSPORTS = ['http', 'sse', 'stdio'] as const;

const LIBRARIES: { readonly [name: string]: Library } = {
  '@ai-sdk/mcp': { runner: 'node', light: true },
  '@modelcontextprotocol/client': { runner: 'node', light: true },
  '@modelcontextprotocol/inspector': { runner: 'node' },
  '@modelcontextprotocol/sdk': { runner: 'node', light: true },
  '@openai/agents': { runner: 'node' },
  // It is a program over stdio for a server elsewhere.
  'mcp-remote': { runner: 'node', transports: ['http', 'sse'], light: true },
  fastmcp: { runner: 'python' },
  'langchain-mcp-adapters': { runner: 'langchain' },
  'llama-index-tools-mcp': { runner: 'python' },
  mcp: { runner: 'python', light: true },
  'openai-agents': { runner: 'python' },
  'pydantic-ai-slim': { runner: 'python' },
};

/** The rows whose packages are installed. */
const isInstalled = ([, { light = false }]: readonly [string, { readonly light?: boolean }]) =>
  light || existsSync(join(FOLDER ?? '', 'langchain'));

describe.skipIf(FOLDER === undefined)('the converter', { timeout: SLOW }, () => {
  let examples: readonly ListedTool[];
  const generated = generatedTools();
  beforeAll(async () => {
    examples = await exampleTools();
  });

  it.each(Object.entries(CONVERTERS).filter(isInstalled))(
    '%s takes the schemas as in the last stored run',
    async (name, converter) => {
      const { of = name, runner, profile, documented } = converter;
      const tools = [...examples, ...generated].map((tool) =>
        profile === undefined ? tool : { ...tool, inputSchema: toProfileSchema(tool.inputSchema, profile) },
      );
      const [ran]: readonly Converted[] = JSON.parse(
        await run(runner, 'converters', [of], JSON.stringify(tools)),
      );
      if (ran === undefined) throw new Error(`${name} did not run`);
      const record = toRecord(name, ran, { examples: examples.length, documented });
      if (WRITE) storeRecords({ converters: [record] });
      expect(record).toEqual(readRecords().converters.find((one) => one.name === name));
    },
  );
});

describe.skipIf(FOLDER === undefined)('the client library', { timeout: SLOW }, () => {
  it.each(Object.entries(LIBRARIES).filter(isInstalled))(
    '%s does as in the last stored run',
    async (name, library) => {
      const { runner, transports = TRANSPORTS } = library;
      const found: Record<string, Record<string, string>> = {};
      let version = '';
      for (const transport of transports) {
        const reach = await REACHES[transport as (typeof TRANSPORTS)[number]]();
        const args = [name, transport, JSON.stringify(reach), JSON.stringify(ASKED)];
        const told: Tried = JSON.parse(await run(runner, 'libraries', args));
        version = told.version;
        found[transport] = toSteps(told.outcomes);
      }
      const record = { name, version, transports: found };
      if (WRITE) storeRecords({ libraries: [record] });
      expect(record).toEqual(readRecords().libraries.find((one) => one.name === name));
    },
  );
});

interface Converted {
  readonly version: string;
  readonly outcomes: readonly { readonly schema?: JsonObject; readonly error?: string }[];
}

function toRecord(
  name: string,
  { version, outcomes }: Converted,
  { examples, documented }: { readonly examples: number; readonly documented: FindOutside | undefined },
): ConverterRecord {
  const taken = outcomes.map(({ error }) => error === undefined);
  const outside = outcomes.map(
    ({ schema, error }) => error ?? (schema && documented ? documented(schema) : null),
  );
  return {
    name,
    version,
    examples: share(taken.slice(0, examples)),
    generated: share(taken.slice(examples)),
    documented: documented === undefined ? null : share(outside.map((found) => found === null)),
    reason: mostFrequent(outside.filter((found) => found !== null)),
  };
}

const share = (flags: readonly boolean[]) => `${flags.filter(Boolean).length} of ${flags.length}`;

function mostFrequent(texts: readonly string[]): string | null {
  const counts = Map.groupBy(texts, (text) => text);
  return [...counts].toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0] ?? null;
}

interface Tried {
  readonly version: string;
  readonly outcomes: { readonly [step: string]: string | null | { readonly error: string } };
}

/** The texts that an answer must contain, so that an empty one is no success. */
const ASKED = {
  tool: { name: 'search_products', arguments: { words: 'tea' } },
  resource: { uri: 'shop://opening-hours' },
  prompt: { name: 'greeting', arguments: { name: 'Ada' } },
  embedding: { name: 'sales_review', arguments: { month: '2026-02' } },
};
const EXPECTED: { readonly [step: string]: RegExp } = {
  list: /search_products/,
  call: /tea/i,
  read: /monday/i,
  prompt: /Welcome Ada to the shop/,
  'prompt with a resource': /Review the sales of 2026-02/,
};

function toSteps(outcomes: Tried['outcomes']): Record<string, string> {
  const { connect } = outcomes;
  return Object.fromEntries(
    STEPS.map((step) => {
      const outcome = connect ?? outcomes[step] ?? null;
      if (outcome === null) return [step, '-'];
      if (typeof outcome !== 'string') return [step, outcome.error];
      return [step, EXPECTED[step]?.test(outcome) === true ? 'yes' : 'another answer'];
    }),
  );
}

/** A copy of the shop, with a prompt of nothing but text. */
function shop(): string {
  const root = join(folder(), 'shop');
  cpSync('examples/shop', root, { recursive: true, filter: (path) => !/[\\/](data|\.svc)$/.test(path) });
  writeFileSync(
    join(root, 'prompts/greeting.yml'),
    `svc: 1
prompt:
  name: greeting
  description: Welcomes a customer.
  parameters: [{ name: name, type: string, description: Who, examples: [Ada] }]
  messages: [{ prompt: "Welcome {{ name }} to the shop." }]
`,
  );
  return root;
}

async function serve(transport: string): Promise<{ readonly url: string }> {
  const root = shop();
  const server = new Svc(['serve', '--transport', transport, '--port', '0'], {
    cwd: root,
    env: { HOME: root },
  });
  const [, url = ''] = await server.until(/serving .* on (\S+)/);
  return { url };
}

const REACHES = {
  http: () => serve('streamable-http'),
  sse: () => serve('sse'),
  stdio: async () => ({
    command: process.execPath,
    args: [resolve('cli/svc.js'), '-C', shop(), 'serve', '--transport', 'stdio'],
  }),
};

/** Runs converters.py, libraries.py or their JavaScript in the environment of a runner. */
function run(runner: Runner, script: string, args: readonly string[], input = ''): Promise<string> {
  const installed = resolve(FOLDER ?? '');
  const program = runner === 'node' ? process.execPath : join(installed, runner, 'bin/python');
  const file = runner === 'node' ? join(installed, `${script}.mjs`) : resolve(`test/vendors/${script}.py`);
  // A module finds the packages of its own folder.
  if (runner === 'node') copyFileSync(`test/vendors/${script}.mjs`, file);
  const { PATH = '' } = process.env;
  const env = { PATH, HOME: folder(), PYTHONWARNINGS: 'ignore' };
  return new Promise((done, reject) => {
    const child = execFile(
      program,
      [file, ...args],
      { env, maxBuffer: 64 * 1_048_576 },
      (error, stdout, stderr) =>
        error === null ? done(stdout) : reject(new Error(`${script} ${args[0]}: ${stderr.slice(-2000)}`)),
    );
    child.stdin?.end(input);
  });
}
