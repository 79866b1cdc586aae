// Runs vendors' converters over MCP tools, as converters.py does, beside the packages that it imports.
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';

/** Google's SDK converts the tools of a connected client. */
async function googleGenai() {
  const { mcpToTool } = await import('@google/genai');
  return async (tool) => {
    const client = { listTools: async () => ({ tools: [tool] }), callTool: async () => ({}) };
    const { functionDeclarations } = await mcpToTool(client, {}).tool();
    const [{ parameters, parametersJsonSchema }] = functionDeclarations;
    return parametersJsonSchema ?? parameters;
  };
}

async function anthropic() {
  const { mcpTools } = await import('@anthropic-ai/sdk/helpers/beta/mcp');
  return async (tool) => mcpTools([tool], { callTool: async () => ({}) })[0].input_schema;
}

function openaiAgents(strict) {
  return async () => {
    const { MCPServerStreamableHttp, mcpToFunctionTool } = await import('@openai/agents');
    const server = new MCPServerStreamableHttp({ url: 'http://127.0.0.1:9/mcp' });
    return async (tool) => {
      const made = mcpToFunctionTool(tool, server, strict);
      if (strict && !made.strict)
        throw new Error('the converter left the schema as it is, without strict mode');
      return made.parameters;
    };
  };
}

/** The AI SDK converts in its providers, so a provider sends its request to a function that keeps it. */
function aiSdk(provider, create, pick) {
  return async () => {
    const { dynamicTool, generateText, jsonSchema } = await import('ai');
    const made = (await import(`@ai-sdk/${provider}`))[create];
    return async (tool) => {
      let sent = null;
      const fetch = async (_, init) => {
        sent = JSON.parse(init.body);
        return new Response('{}', { status: 400 });
      };
      const model = made({ apiKey: 'none', fetch })('some-model');
      // As @ai-sdk/mcp makes it.
      const inputSchema = jsonSchema({ ...tool.inputSchema, properties: tool.inputSchema.properties ?? {} });
      const one = dynamicTool({ description: tool.description, inputSchema, execute: async () => '' });
      const asked = generateText({ model, tools: { [tool.name]: one }, prompt: 'x', maxRetries: 0 });
      const thrown = await asked.catch((error) => error);
      if (sent === null) throw thrown;
      return pick(sent);
    };
  };
}

const CONVERTERS = {
  '@google/genai': ['@google/genai', googleGenai],
  '@anthropic-ai/sdk': ['@anthropic-ai/sdk', anthropic],
  '@openai/agents': ['@openai/agents', openaiAgents(false)],
  '@openai/agents, strict': ['@openai/agents', openaiAgents(true)],
  'AI SDK, OpenAI': ['@ai-sdk/openai', aiSdk('openai', 'createOpenAI', ({ tools }) => tools[0].parameters)],
  'AI SDK, Google': [
    '@ai-sdk/google',
    aiSdk('google', 'createGoogleGenerativeAI', ({ tools }) => {
      const [{ parameters, parametersJsonSchema }] = [tools].flat()[0].functionDeclarations;
      return parametersJsonSchema ?? parameters;
    }),
  ],
  'AI SDK, Anthropic': [
    '@ai-sdk/anthropic',
    aiSdk('anthropic', 'createAnthropic', ({ tools }) => tools[0].input_schema),
  ],
};

async function outcome(convert, tool) {
  try {
    return { schema: (await convert(tool)) ?? null };
  } catch (error) {
    return { error: String(error).split('\n')[0].slice(0, 300) };
  }
}

const tools = JSON.parse(await text(process.stdin));
const results = [];
for (const name of process.argv.slice(2)) {
  const [source, create] = CONVERTERS[name];
  const { version } = JSON.parse(
    readFileSync(new URL(`node_modules/${source}/package.json`, import.meta.url), 'utf8'),
  );
  const convert = await create();
  const outcomes = [];
  for (const tool of tools) outcomes.push(await outcome(convert, structuredClone(tool)));
  results.push({ name, package: source, version, outcomes });
}
process.stdout.write(JSON.stringify(results), () => process.exit(0));
