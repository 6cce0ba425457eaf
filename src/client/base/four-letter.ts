import type { Socket } from 'node:net';
import { checkBytes } from '../../protocol/check-argument.js';
import { onAbort } from './abort.js';
import { checkAskOptions } from './check-options.js';
import { checkAddress, type ServerAddress } from './connect-string.js';
import { openSocket, readyEvent } from './connection.js';
import { describeSocketError, SocketFault } from './socket-fault.js';
import type { TlsOptions } from './tls.js';
import { describeTlsClose, describeTlsError, looksLikeTls, plainToSecure } from './tls-faults.js';

export interface AskOptions {
  /** Limit for the whole exchange, in ms. Default: none besides the two limits below. */
  readonly timeoutMs?: number | undefined;
  /** Limit for the connect, in ms. Default 5000. */
  readonly connectTimeoutMs?: number | undefined;
  /** Longest silence of the server, in ms. Default 5000. */
  readonly readTimeoutMs?: number | undefined;
  /** Longest answer, in bytes; a longer one is refused as too-large. Default: 64 MiB. */
  readonly maxLength?: number | undefined;
  /** Aborts; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** Used if the address asks for TLS. */
  readonly tls?: TlsOptions | undefined;
}

const DEFAULT_TIMEOUT_MS = 5000;
/** Longer than any usual answer: `wchp` of a million watches has about this size. */
export const MAX_ANSWER_LENGTH = 64 * 1024 * 1024;

/**
 * Sends a four-letter word to a server and reads until it closes.
 * @example
 * const answer = await askWord({ host: '127.0.0.1', port: 2181 }, 'ruok', { timeoutMs: 1000 });
 * console.log(answer.toString()); // imok
 * @param word "ruok", or raw bytes (stmk and its mask)
 * @throws SocketFault with a `reason`: refused, timeout, dns, reset, unreachable, tls, empty
 * (closed without a byte) or too-large; RangeError for inconsistent TLS options
 */
export function askWord(
  address: ServerAddress,
  word: string | Uint8Array,
  options: AskOptions = {},
): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const asked = { address: checkAddress('address', address), options: checkAskOptions(options) };
    // Nothing more: a server that closes with unread bytes resets the connection and loses the end
    // of a slow answer (ZOOKEEPER-1197).
    ask(asked.address, checkBytes('word', word), asked.options, resolve, reject);
  });
}

function ask(
  address: ServerAddress,
  question: Buffer,
  options: AskOptions,
  resolve: (answer: Buffer) => void,
  reject: (error: unknown) => void,
): void {
  const { signal, tls } = options;
  if (signal?.aborted) {
    reject(signal.reason);
    return;
  }
  const progress = { isSecured: false, hasReceived: false };
  const socket = openSocket(address, tls);
  const settle = (outcome: Buffer | Error): void => {
    timers.clear();
    unlisten();
    socket.destroy();
    if (outcome instanceof Error) reject(outcome);
    else resolve(outcome);
  };
  const timers = watchTime(socket, address, options, settle);
  const unlisten = onAbort(signal, () => settle(asError(signal?.reason)));
  socket.on(readyEvent(address), () => {
    progress.isSecured = address.isSecure === true;
    socket.write(question);
  });
  socket.on('data', () => {
    progress.hasReceived = true;
  });
  socket.on('error', (error) => {
    const fault = address.isSecure && describeTlsError(error, address, tls, progress);
    settle(fault ?? describeSocketError(error, address));
  });
  gather(
    socket,
    address,
    options.maxLength ?? MAX_ANSWER_LENGTH,
    settle,
    () => address.isSecure && describeTlsClose(address, tls, progress),
  );
}

function gather(
  socket: Socket,
  address: ServerAddress,
  maxLength: number,
  settle: (outcome: Buffer | Error) => void,
  describeEmpty: () => SocketFault | undefined,
): void {
  const chunks: Buffer[] = [];
  let length = 0;
  socket.on('data', (chunk) => {
    chunks.push(chunk);
    length += chunk.length;
    if (length > maxLength) {
      settle(
        new SocketFault('too-large', address, `sent an answer of more than ${maxLength} bytes`),
      );
    }
  });
  socket.on('end', () => {
    const answer = Buffer.concat(chunks, length);
    if (length === 0) {
      const problem = 'closed the connection without an answer';
      settle(describeEmpty() ?? new SocketFault('empty', address, problem));
    } else if (address.isSecure !== true && looksLikeTls(answer)) settle(plainToSecure(address));
    else settle(answer);
  });
}

/** Settles with a timeout if the connect, the next byte, or the whole exchange takes too long. */
function watchTime(
  socket: Socket,
  address: ServerAddress,
  options: AskOptions,
  settle: (outcome: Error) => void,
): { clear(): void } {
  const late = (problem: string) => () => settle(new SocketFault('timeout', address, problem));
  const { timeoutMs, connectTimeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const { readTimeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const whole =
    timeoutMs === undefined
      ? undefined
      : setTimeout(late(`did not finish its answer within ${timeoutMs} ms`), timeoutMs);
  const silent = late(`sent nothing for ${readTimeoutMs} ms`);
  let step = setTimeout(
    late(`did not accept the connection within ${connectTimeoutMs} ms`),
    connectTimeoutMs,
  );
  const restart = (): void => {
    clearTimeout(step);
    step = setTimeout(silent, readTimeoutMs);
  };
  socket.on('connect', restart);
  socket.on('data', restart);
  return {
    clear: () => {
      clearTimeout(step);
      clearTimeout(whole);
    },
  };
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
