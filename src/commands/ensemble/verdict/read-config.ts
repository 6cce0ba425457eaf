import { formatServerAddress } from '../../../client/base/connect-string.js';
import type { ReadConfig } from './discover.js';

/** Needs no word, and every session may read the configuration. */
export const readConfig: ReadConfig = async (address, { timeoutMs, tls }) => {
  const { createClient } = await import('../../../client/zookeeper.js');
  const scheme = address.isSecure === true ? 'zks://' : '';
  const client = createClient({
    connectString: `${scheme}${formatServerAddress(address)}`,
    connectTimeoutMs: timeoutMs,
    connectRounds: 1,
    requestTimeoutMs: timeoutMs,
    canBeReadOnly: true,
    ...(tls === undefined ? {} : { tls }),
  });
  try {
    await client.connect();
    const { data } = await client.getConfig();
    return data?.toString('utf8') ?? '';
  } finally {
    await client.close();
  }
};
