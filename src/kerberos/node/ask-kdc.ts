/** Asks KDCs over TCP (RFC 4120, 7.2.2): each message has its length before it. */
import { connect } from 'node:net';
import { KerberosError } from '../kerberos-error.js';
import type { KdcAddress } from '../krb5-conf.js';

/**
 * `timeMs` is for each KDC, from the connect to the whole answer. Tickets of Active Directory list
 * the groups of a user, up to 64 KiB. docs/limits.md has both.
 */
export const KDC_LIMITS = { timeMs: 3000, answerBytes: 256 * 1024 };

/**
 * The answer of the first KDC that has one.
 * @throws KerberosError with the fault of each KDC
 */
export async function askKdcs(
  realm: string,
  kdcs: readonly KdcAddress[],
  question: Buffer,
  timeoutMs = KDC_LIMITS.timeMs,
): Promise<Buffer> {
  const faults: string[] = [];
  for (const kdc of kdcs) {
    try {
      return await askKdc(kdc, question, timeoutMs);
    } catch (error) {
      faults.push(`${kdc.host}:${kdc.port} ${error instanceof Error ? error.message : error}`);
    }
  }
  throw new KerberosError(`no KDC of ${realm} answered: ${faults.join(', ')}`, {
    kind: 'unreachable',
  });
}

function askKdc({ host, port }: KdcAddress, question: Buffer, timeoutMs: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port });
    const chunks: Buffer[] = [];
    let received = 0;
    const end = (settle: () => void): void => {
      clearTimeout(timer);
      socket.destroy();
      settle();
    };
    const fail = (problem: string): void => end(() => reject(new Error(problem)));
    const timer = setTimeout(() => fail(`did not answer within ${timeoutMs} ms`), timeoutMs);
    socket.once('connect', () => {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(question.length);
      socket.write(Buffer.concat([length, question]));
    });
    socket.on('data', (chunk: Buffer) => {
      chunks.push(chunk);
      received += chunk.length;
      if (received < 4) return;
      const [first = chunk] = chunks;
      const head = first.length >= 4 ? first : Buffer.concat(chunks);
      const length = head.readUInt32BE(0);
      if (length > KDC_LIMITS.answerBytes) {
        fail(`announced ${length} bytes (expected at most ${KDC_LIMITS.answerBytes})`);
      } else if (received >= 4 + length) {
        end(() => resolve(Buffer.concat(chunks).subarray(4, 4 + length)));
      }
    });
    socket.on('error', (error: NodeJS.ErrnoException) => fail(error.code ?? error.message));
    socket.once('close', () => fail('closed the connection'));
  });
}
