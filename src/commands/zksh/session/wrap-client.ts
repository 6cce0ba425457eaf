import type { ZooKeeperClient } from '../../../client/base/client.js';

type Method = (...args: unknown[]) => unknown;

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
