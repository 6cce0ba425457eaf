/** Serves revocation lists over HTTP, by their paths. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface ListServer {
  /** Without a path. */
  readonly url: string;
  /** The requests so far. */
  readonly asked: number;
  /** What it serves from now on; undefined removes it. */
  serve(path: string, list: Buffer | undefined): void;
  close(): Promise<void>;
}

export async function startLists(): Promise<ListServer> {
  const lists = new Map<string, Buffer>();
  let asked = 0;
  const server = createServer((request, response) => {
    asked++;
    const list = lists.get(request.url ?? '');
    if (list === undefined) response.writeHead(404).end();
    else response.setHeader('Content-Type', 'application/pkix-crl').end(list);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    get asked() {
      return asked;
    },
    serve: (path, list) => {
      if (list === undefined) lists.delete(path);
      else lists.set(path, list);
    },
    close: async () => {
      server.close();
      server.closeAllConnections();
      if (server.listening) await once(server, 'close');
    },
  };
}
