import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseConfig } from '../../../src/server/config/parse-config.js';

test('an address may be in brackets, as in Java', () => {
  const lines = [
    'clientPort=1',
    'secureClientPort=2',
    'clientPortAddress=[::]',
    'secureClientPortAddress=[::1]',
    'admin.serverAddress=[fe80::1%eth0]',
    'metricsProvider.httpHost=[::]',
  ];
  const config = configOf(lines);
  assert.is(config.clientPortAddress, '::');
  assert.is(config.secureClientPortAddress, '::1');
  assert.is(config.adminServerAddress, 'fe80::1%eth0');
  assert.is(config.metricsProviderHttpHost, '::');
  for (const name of ['::', 'zk1', '0.0.0.0', '[zk1]']) {
    const { clientPortAddress } = configOf(['clientPort=1', `clientPortAddress=${name}`]);
    assert.is(clientPortAddress, name);
  }
});

function configOf(lines: readonly string[]) {
  const text = ['dataDir=data', ...lines].join('\n');
  const parsed = parseConfig(text, { fileName: 'zoo.cfg' });
  if ('errors' in parsed) throw new Error(parsed.errors.map((error) => error.text).join());
  return parsed.config;
}

test.run();
