import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { canonicalName, type NameSource } from '../../../src/kerberos/node/kerberos-client.js';

/** A DNS of these addresses of names, and names of addresses. */
function dnsOf(
  addresses: Readonly<Record<string, readonly string[]>>,
  names: Readonly<Record<string, string>>,
): NameSource {
  return {
    lookup: async (host) => {
      const found = addresses[host];
      if (found === undefined) throw new Error(`ENOTFOUND ${host}`);
      return found.map((address) => ({ address }));
    },
    lookupService: async (address) => {
      const hostname = names[address];
      if (hostname === undefined) throw new Error(`ENOTFOUND ${address}`);
      return { hostname };
    },
  };
}

const ADDRESSES = {
  zk: ['10.0.0.1', '10.0.0.2'],
  'zk1.example.org': ['10.0.0.9', '10.0.0.1'],
  'victim.example.org': ['10.0.0.7'],
  '10.0.0.1': ['10.0.0.1'],
  empty: [],
};

for (const [what, host, names, expected] of [
  ['an alias has the name of its first address', 'zk', ['zk1.example.org'], 'zk1.example.org'],
  ['an address has its name', '10.0.0.1', ['zk1.example.org'], 'zk1.example.org'],
  ['a name that does not have the address is not believed', 'zk', ['victim.example.org'], 'zk'],
  ['a name that is unknown is not believed', 'zk', ['none.example.org'], 'zk'],
  ['an address is not taken for a name', 'zk', ['10.0.0.1'], 'zk'],
  ['without a name of the address, the host stays', 'zk', [], 'zk'],
  ['an unknown host stays', 'none', ['zk1.example.org'], 'none'],
  ['a host without addresses stays', 'empty', ['zk1.example.org'], 'empty'],
] as const) {
  test(`canonical names: ${what}`, async () => {
    const [name] = names;
    const dns = dnsOf(ADDRESSES, name === undefined ? {} : { '10.0.0.1': name });
    assert.is(await canonicalName(host, dns), expected);
  });
}

test('canonical names of this machine: a host that the resolver does not know stays', async () => {
  assert.is(await canonicalName('no-such-host.invalid'), 'no-such-host.invalid');
});

test.run();
