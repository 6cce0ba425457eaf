/** One exchange over HTTP with a place that a certificate names. */
import { type OutgoingHttpHeaders, request } from 'node:http';

export interface Exchange {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers: OutgoingHttpHeaders;
  readonly body?: Buffer;
  /** Who answers, for error texts. */
  readonly whom: string;
  readonly timeMs: number;
  readonly maxBytes: number;
  readonly signal: AbortSignal;
}

export class ExchangeError extends Error {
  override readonly name = 'ExchangeError';
  readonly code = 'EEXCHANGE';
}

/** The body of the answer. No redirect is followed. @throws ExchangeError */
export function exchange(asked: Exchange): Promise<Buffer> {
  const { method, url, headers, body, whom, timeMs, maxBytes, signal } = asked;
  return new Promise((resolve, reject) => {
    const fail = (reason: string): void => {
      reject(new ExchangeError(reason));
      sent.destroy();
    };
    const options = { method, headers: { ...headers, Connection: 'close' }, agent: false, signal };
    const sent = request(url, options, (response) => {
      if (response.statusCode !== 200) {
        fail(`${whom} answers HTTP ${response.statusCode}`);
        return;
      }
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length > maxBytes) fail(`the response is longer than ${maxBytes} bytes`);
        else chunks.push(chunk);
      });
      response.on('end', () => resolve(Buffer.concat(chunks)));
      response.on('error', (error) => fail(`${whom} fails: ${error.message}`));
    });
    const timer = setTimeout(() => fail(`no response in ${timeMs} ms`), timeMs).unref();
    // Who waits for the answer has a socket that keeps the process alive.
    sent.on('socket', (socket) => socket.unref());
    sent.on('error', (error) => fail(`${whom} is unreachable: ${error.message}`));
    sent.on('close', () => {
      clearTimeout(timer);
      fail(`${whom} closed the connection`);
    });
    sent.end(body);
  });
}
