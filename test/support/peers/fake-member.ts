import { createServer, type Server, type Socket } from 'node:net';
import { golden } from '../../fourlw/captured-view.js';

/** How a fake member handles a connection after it has read a word. */
export type Behavior = (socket: Socket, word: string, bytes: Buffer) => void;

export interface FakeMember {
  readonly port: number;
  close(): Promise<void>;
}

/** A member that handles each connection with `behave` after it has read a word. */
export async function startFake(behave: Behavior): Promise<FakeMember> {
  const sockets = new Set<Socket>();
  const server: Server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', (chunk) => behave(socket, chunk.toString('latin1').trim(), chunk));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port was bound');
  return {
    port: address.port,
    close: () => {
      for (const socket of sockets) socket.destroy();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}

export const servesFrom =
  (server: string): Behavior =>
  (socket, word) =>
    socket.end(golden(server, word));

export const silent: Behavior = () => undefined;
export const drips: Behavior = (socket) => {
  const timer = setInterval(() => socket.write('Z'), 50);
  socket.on('close', () => clearInterval(timer));
};
export const garbage: Behavior = (socket) => socket.end('HTTP/1.1 400 Bad Request\r\n\r\n');
export const closes: Behavior = (socket) => socket.end();
export const resets: Behavior = (socket) => socket.resetAndDestroy();
export const refuses: Behavior = (socket, word) =>
  socket.end(`${word} is not executed because it is not in the whitelist.\n`);
export const notServing: Behavior = (socket) =>
  socket.end('This ZooKeeper instance is not currently serving requests\n');
export const floods: Behavior = (socket) => {
  const block = Buffer.alloc(1024 * 1024, 'x');
  const pour = () => {
    while (socket.writable && socket.write(block)) {
      // until the socket accepts no more
    }
  };
  socket.on('drain', pour);
  pour();
};

/** Answers each word with its text, and closes the connection on a word without one. */
export const answers =
  (texts: Readonly<Record<string, string>>): Behavior =>
  (socket, word) =>
    socket.end(texts[word] ?? '');

export function closeAll(fakes: readonly FakeMember[]): Promise<unknown> {
  return Promise.all(fakes.map((fake) => fake.close()));
}
