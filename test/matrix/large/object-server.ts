import { createHash } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';

/** A server of objects on this machine, which takes them by PUT. */
export interface ObjectServer {
  readonly url: URL;
  /** The ranges that were answered. */
  readonly ranges: string[];
  /** What the server does wrong from now on: it knows no ranges, or answers this status. */
  wrong: 'no ranges' | number | null;
  close(): Promise<void>;
}

/** Starts a server that answers ranges, and conditions on the version of an object. */
export async function startObjectServer(): Promise<ObjectServer> {
  const objects = new Map<string, Buffer>();
  const ranges: string[] = [];
  const server = createServer(async (request, response) => {
    const { method, url: path = '', headers } = request;
    if (method === 'PUT') {
      objects.set(path, await buffer(request));
      return response.writeHead(201).end();
    }
    const object = objects.get(path);
    if (object === undefined) return response.writeHead(404).end();
    if (typeof started.wrong === 'number') return response.writeHead(started.wrong).end();
    const etag = `"${createHash('sha256').update(object).digest('hex')}"`;
    if (headers['if-match'] !== undefined && headers['if-match'] !== etag)
      return response.writeHead(412).end();
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(headers.range ?? '') ?? [];
    if (from === undefined || started.wrong === 'no ranges') {
      return response
        .writeHead(200, { etag, 'content-length': object.length })
        .end(method === 'HEAD' ? '' : object);
    }
    ranges.push(`${from}-${to}`);
    response.writeHead(206, { etag }).end(object.subarray(Number(from), Number(to) + 1));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const started: ObjectServer = {
    url: new URL(`http://127.0.0.1:${port}/`),
    ranges,
    wrong: null,
    close: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return started;
}
