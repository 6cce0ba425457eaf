// What the guides call ssh. "serve" runs commands as its own user, an operator without privileges;
// "ssh HOST COMMAND…" sends one there with its input, and gets its output and status. A copy of the
// compiled file runs in the machines, so this imports nothing of the project.
import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { connect, createServer, type Socket } from 'node:net';

const PORT = 22_022;
/** As ssh, if the machine does not answer. */
const UNREACHED = 255;

/** i(nput), o(utput), e(rror), the exit status, c(ommand). */
type Kind = 'i' | 'o' | 'e' | 'x' | 'c';

function send(socket: Socket, kind: Kind, bytes: Buffer): void {
  const head = Buffer.alloc(5);
  head.write(kind);
  head.writeUInt32BE(bytes.length, 1);
  if (socket.writable) socket.write(Buffer.concat([head, bytes]));
}

function onMessages(socket: Socket, take: (kind: string, bytes: Buffer) => void): void {
  let rest = Buffer.alloc(0);
  socket.on('data', (piece: Buffer) => {
    rest = Buffer.concat([rest, piece]);
    while (rest.length >= 5) {
      const end = 5 + rest.readUInt32BE(1);
      if (rest.length < end) break;
      take(rest.toString('latin1', 0, 1), rest.subarray(5, end));
      rest = rest.subarray(end);
    }
  });
}

function start(socket: Socket, command: string): ChildProcessWithoutNullStreams {
  const child = spawn('sh', ['-c', command]);
  child.stdin.on('error', () => undefined);
  child.stdout.on('data', (piece) => send(socket, 'o', piece));
  child.stderr.on('data', (piece) => send(socket, 'e', piece));
  child.on('close', (status) => {
    send(socket, 'x', Buffer.from(`${status ?? UNREACHED}`));
    socket.end();
  });
  return child;
}

function serve(): void {
  createServer((socket) => {
    let child: ChildProcessWithoutNullStreams | undefined;
    socket.on('error', () => undefined);
    socket.on('close', () => child?.kill());
    onMessages(socket, (kind, bytes) => {
      if (kind === 'c') child = start(socket, bytes.toString());
      else if (bytes.length > 0) child?.stdin.write(bytes);
      else child?.stdin.end();
    });
  }).listen(PORT);
}

interface Streams {
  readonly input?: NodeJS.ReadableStream;
  readonly onOutput: (bytes: Buffer) => void;
  readonly onError: (bytes: Buffer) => void;
}

function call(host: string, command: string, streams: Streams, timeoutMs = 0): Promise<number> {
  return new Promise((resolve) => {
    const socket = connect(PORT, host);
    let status = UNREACHED;
    const timer = timeoutMs > 0 ? setTimeout(() => socket.destroy(), timeoutMs) : undefined;
    socket.on('error', ({ message }) => streams.onError(Buffer.from(`ssh: ${message}\n`)));
    socket.on('close', () => {
      clearTimeout(timer);
      resolve(status);
    });
    socket.on('connect', () => {
      send(socket, 'c', Buffer.from(command));
      if (streams.input === undefined) send(socket, 'i', Buffer.alloc(0));
      streams.input?.on('data', (piece) => send(socket, 'i', Buffer.from(piece)));
      streams.input?.on('end', () => send(socket, 'i', Buffer.alloc(0)));
    });
    onMessages(socket, (kind, bytes) => {
      if (kind === 'o') streams.onOutput(bytes);
      else if (kind === 'e') streams.onError(bytes);
      else status = Number(bytes.toString());
    });
  });
}

/** Runs a command on a machine; `output` has both streams. */
export async function runOn(
  host: string,
  command: string,
  timeoutMs: number,
): Promise<{ readonly status: number; readonly output: string }> {
  let output = '';
  const add = (bytes: Buffer): void => {
    output += bytes.toString();
  };
  const status = await call(host, command, { onOutput: add, onError: add }, timeoutMs);
  return { status, output };
}

const [verb, host = '', ...words] = process.argv.slice(2);
if (verb === 'serve') serve();
if (verb === 'ssh') {
  const { stdin: input, stdout, stderr } = process;
  const onOutput = (bytes: Buffer): void => {
    stdout.write(bytes);
  };
  const onError = (bytes: Buffer): void => {
    stderr.write(bytes);
  };
  process.exitCode = await call(host, words.join(' '), { input, onOutput, onError });
  input.destroy();
}
