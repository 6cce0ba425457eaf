import type { ZooKeeperClient } from '../../../client/client.js';

type Method = (...args: unknown[]) => unknown;

/** The same client, but for the methods that `replace` gives another one for. */
export function wrapClient(
  client: ZooKeeperClient,
  replace: (name: string, own: Method) => unknown,
): ZooKeeperClient {
  return new Proxy(client, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== 'function') return value;
      const own: Method = value.bind(target);
      return replace(String(name), own) ?? own;
    },
  });
}
