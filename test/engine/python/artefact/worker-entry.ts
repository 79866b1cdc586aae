import { createRpcPython } from '../../../../adapters/python-rpc/client.ts';
import type { PythonBinding } from '../../../../adapters/python-rpc/messages.ts';
import { SETTINGS } from '../settings.ts';
import { createBackground } from './background.ts';
import { decode, encode, type ToArtefact } from './messages.ts';
import { serveCall } from './serve.ts';

/* Stands where the server's Worker stands: each call is a request of its own to the Python Worker of the artefact. */

interface Socket {
  accept(): void;
  send(text: string): void;
  addEventListener(type: 'message', listener: (event: { readonly data: string }) => void): void;
}

declare const WebSocketPair: new () => { readonly 0: Socket; readonly 1: Socket };

// biome-ignore lint/style/noDefaultExport: the platform asks for one
export default {
  fetch(_request: Request, { PYTHON }: { readonly PYTHON: PythonBinding }): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    server.accept();
    const python = createRpcPython(PYTHON, { settings: SETTINGS, background: createBackground() });
    serveCall(async () => python, {
      send: (message) => server.send(encode(message)),
      onMessage: (take) => server.addEventListener('message', ({ data }) => take(decode<ToArtefact>(data))),
    });
    return new Response(null, { status: 101, webSocket: client } as ResponseInit);
  },
};
