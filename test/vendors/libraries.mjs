// Connects an MCP client library to a server, as libraries.py does, beside the packages that it imports.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';

const [, , library, transport, reachText, stepsText] = process.argv;
const reach = JSON.parse(reachText);
const steps = JSON.parse(stepsText);
const { tool, resource, prompt, embedding } = steps;

async function tried(step) {
  try {
    return JSON.stringify(await step());
  } catch (error) {
    return { error: String(error).split('\n')[0].slice(0, 300) };
  }
}

/** The four steps of a client of one of the official SDKs. */
async function withClient(client) {
  const outcomes = {
    list: await tried(() => client.listTools()),
    call: await tried(() => client.callTool(tool)),
    read: await tried(() => client.readResource(resource)),
    prompt: await tried(() => client.getPrompt(prompt)),
    'prompt with a resource': await tried(() => client.getPrompt(embedding)),
  };
  await client.close();
  return outcomes;
}

async function sdk2(kind = transport, to = reach) {
  const sdk = await import('@modelcontextprotocol/client');
  const { StdioClientTransport } = await import('@modelcontextprotocol/client/stdio');
  const client = new sdk.Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });
  const made = {
    http: () => new sdk.StreamableHTTPClientTransport(new URL(to.url)),
    sse: () => new sdk.SSEClientTransport(new URL(to.url)),
    stdio: () => new StdioClientTransport({ ...to, stderr: 'ignore' }),
  };
  await client.connect(made[kind]());
  return withClient(client);
}

async function sdk1() {
  const { Client } = await import('@modelcontextprotocol/sdk/client/index.js');
  const client = new Client({ name: 'test', version: '1.0.0' });
  const made = {
    http: async () => {
      const { StreamableHTTPClientTransport } = await import(
        '@modelcontextprotocol/sdk/client/streamableHttp.js'
      );
      return new StreamableHTTPClientTransport(new URL(reach.url));
    },
    sse: async () => {
      const { SSEClientTransport } = await import('@modelcontextprotocol/sdk/client/sse.js');
      return new SSEClientTransport(new URL(reach.url));
    },
    stdio: async () => {
      const { StdioClientTransport } = await import('@modelcontextprotocol/sdk/client/stdio.js');
      return new StdioClientTransport({ ...reach, stderr: 'ignore' });
    },
  };
  await client.connect(await made[transport]());
  return withClient(client);
}

async function aiSdk() {
  const { createMCPClient } = await import('@ai-sdk/mcp');
  const { StdioMCPTransport } = await import('@ai-sdk/mcp/mcp-stdio');
  const to = transport === 'stdio' ? new StdioMCPTransport(reach) : { type: transport, url: reach.url };
  const client = await createMCPClient({ transport: to });
  const options = { toolCallId: '1', messages: [] };
  const outcomes = {
    list: await tried(() => client.listTools()),
    call: await tried(async () => (await client.tools())[tool.name].execute(tool.arguments, options)),
    read: await tried(() => client.readResource(resource)),
    prompt: await tried(() => client.getPrompt(prompt)),
    'prompt with a resource': await tried(() => client.getPrompt(embedding)),
  };
  await client.close();
  return outcomes;
}

async function openaiAgents() {
  const { MCPServerSSE, MCPServerStdio, MCPServerStreamableHttp } = await import('@openai/agents');
  const made = {
    http: () => new MCPServerStreamableHttp(reach),
    sse: () => new MCPServerSSE(reach),
    stdio: () => new MCPServerStdio(reach),
  };
  const server = made[transport]();
  await server.connect();
  const outcomes = {
    list: await tried(() => server.listTools()),
    call: await tried(() => server.callTool(tool.name, tool.arguments)),
    read: await tried(() => server.readResource(resource.uri)),
    prompt: null,
    'prompt with a resource': null,
  };
  await server.close();
  return outcomes;
}

/** mcp-remote is a server over stdio for a server elsewhere. */
function mcpRemote() {
  const path = new URL('node_modules/mcp-remote/dist/proxy.js', import.meta.url).pathname;
  const args = [path, reach.url, '--allow-http', '--transport', `${transport}-only`];
  return sdk2('stdio', {
    command: process.execPath,
    args,
    env: { PATH: process.env.PATH, HOME: process.env.HOME },
  });
}

async function inspector() {
  const path = new URL('node_modules/.bin/mcp-inspector', import.meta.url).pathname;
  // Options after `--` are the server's.
  const to =
    transport === 'stdio' ? ['--', reach.command, ...reach.args] : [reach.url, '--transport', transport];
  const ask = (...args) =>
    tried(async () => {
      const line = [path, '--cli', ...args, '--format', 'json', ...to];
      const { stdout } = await promisify(execFile)(process.execPath, line).catch(({ stderr }) => {
        throw new Error(stderr.trim().split('\n').at(-1));
      });
      return JSON.parse(stdout);
    });
  const named = (flag, values) => Object.entries(values).flatMap(([key, value]) => [flag, `${key}=${value}`]);
  const getPrompt = ({ name, arguments: given }) =>
    ask('--method', 'prompts/get', '--prompt-name', name, ...named('--prompt-args', given));
  return {
    list: await ask('--method', 'tools/list'),
    call: await ask(
      '--method',
      'tools/call',
      '--tool-name',
      tool.name,
      ...named('--tool-arg', tool.arguments),
    ),
    read: await ask('--method', 'resources/read', '--uri', resource.uri),
    prompt: await getPrompt(prompt),
    'prompt with a resource': await getPrompt(embedding),
  };
}

const LIBRARIES = {
  '@modelcontextprotocol/client': sdk2,
  '@modelcontextprotocol/sdk': sdk1,
  '@ai-sdk/mcp': aiSdk,
  '@openai/agents': openaiAgents,
  'mcp-remote': mcpRemote,
  '@modelcontextprotocol/inspector': inspector,
};

const outcomes = await LIBRARIES[library]().catch((error) => ({
  connect: { error: String(error).split('\n')[0].slice(0, 300) },
}));
const { version } = JSON.parse(
  readFileSync(new URL(`node_modules/${library}/package.json`, import.meta.url), 'utf8'),
);
process.stdout.write(JSON.stringify({ version, outcomes }), () => process.exit(0));
