import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import {
  AppBridge,
  getToolUiResourceUri,
  PostMessageTransport,
} from '@modelcontextprotocol/ext-apps/app-bridge';

/* A host in the browser: the official AppBridge around a sandboxed frame. The test calls `window.open_view`. */

const MIME = 'text/html;profile=mcp-app';
/** The policy that the specification demands for a page without `csp`. */
const POLICY =
  "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:; connect-src 'none'";

globalThis.open_view = async ({ url, name, args, context, mode, height, capabilities, refusal }) => {
  const client = new Client(
    { name: 'host', version: '1' },
    {
      capabilities: { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [MIME] } } },
      versionNegotiation: { mode },
    },
  );
  await client.connect(new StreamableHTTPClientTransport(new URL(url)));
  const { tools } = await client.listTools();
  const tool = tools.find((one) => one.name === name);
  const { contents } = await client.readResource({ uri: getToolUiResourceUri(tool) });
  const result = await client.callTool({ name, arguments: args });
  const frame = document.createElement('iframe');
  frame.sandbox = 'allow-scripts';
  frame.style = `width:100%;height:${height}px;border:0`;
  document.body.append(frame);
  const bridge = new AppBridge(client, { name: 'host', version: '1' }, capabilities, {
    hostContext: context,
  });
  globalThis.bridge = bridge;
  globalThis.client = client;
  globalThis.downloads = [];
  globalThis.sizes = [];
  globalThis.told = [];
  bridge.ondownloadfile = async ({ contents: files }) => {
    globalThis.downloads.push(...files);
    return {};
  };
  // The two ways in which a page reaches the model by itself.
  bridge.onmessage = async (params) => {
    globalThis.told.push(params);
    return {};
  };
  bridge.onupdatemodelcontext = async (params) => {
    globalThis.told.push(params);
    return {};
  };
  bridge.onsizechange = (size) => void globalThis.sizes.push(size);
  bridge.oninitialized = () => {
    void bridge.sendToolInput({ arguments: args });
    void bridge.sendToolResult(result);
  };
  if (refusal === undefined) {
    await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  } else {
    addEventListener('message', ({ source, data: { id } }) =>
      source.postMessage({ jsonrpc: '2.0', id, error: { code: -32602, message: refusal } }, '*'),
    );
  }
  const head = `<head><meta http-equiv="Content-Security-Policy" content="${POLICY}">`;
  frame.srcdoc = contents[0].text.replace('<head>', head);
  return { content: result.content };
};
