import * as assert from 'uvu/assert';
import { parseServerAddress } from '../../../src/client/base/connect-string.js';
import { askWord } from '../../../src/client/base/four-letter.js';
import { SocketFault } from '../../../src/client/base/socket-fault.js';
import type { TlsOptions } from '../../../src/client/base/tls.js';
import { createClient } from '../../../src/client/zookeeper.js';

/** Returns why no session was opened. */
export async function connectFault(connectString: string, tls?: TlsOptions): Promise<string> {
  const client = createClient({
    connectString,
    connectRounds: 1,
    ...(tls === undefined ? {} : { tls }),
  });
  try {
    await client.connect();
    return 'connected';
  } catch (error) {
    return (error as Error).message;
  } finally {
    await client.close();
  }
}

/** The reason and the text of a failed word; an empty reason and the answer of another. */
export async function wordFault(port: number, tls?: TlsOptions): Promise<[string, string]> {
  try {
    const address = parseServerAddress(`zks://localhost:${port}`);
    return ['', (await askWord(address, 'ruok', tls === undefined ? {} : { tls })).toString()];
  } catch (error) {
    assert.instance(error, SocketFault);
    const { reason, message } = error as SocketFault;
    return [reason, message];
  }
}
