import { formatServerAddress } from '../../../client/base/connect-string.js';
import type { ReadConfig } from './discover.js';

/** Needs no word. Every session may read the configuration, unless the servers require a login. */
export const readConfig: ReadConfig = async (address, { timeoutMs, tls, login }) => {
  const { createClient } = await import('../../../client/zookeeper.js');
  const scheme = address.isSecure === true ? 'zks://' : '';
  const client = createClient({
    connectString: `${scheme}${formatServerAddress(address)}`,
    connectTimeoutMs: timeoutMs,
    connectRounds: 1,
    requestTimeoutMs: timeoutMs,
    canBeReadOnly: true,
    ...(tls === undefined ? {} : { tls }),
    ...(login?.sasl === undefined ? {} : { sasl: login.sasl }),
  });
  try {
    await client.connect();
    if (login?.auth !== undefined) await client.addAuth('digest', login.auth);
    const { data } = await client.getConfig();
    return data?.toString('utf8') ?? '';
  } finally {
    await client.close();
  }
};
