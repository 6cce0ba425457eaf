import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseConfig } from '../../../src/server/config/parse-config.js';

/** What is wrong with these lines of zoo.cfg, as QuorumPeerConfig.parseDynamicConfig sees it. */
function errorsOf(...lines: string[]): string[] {
  const base = ['dataDir=/data', 'clientPort=2181', 'initLimit=10', 'syncLimit=5'];
  const parsed = parseConfig([...base, ...lines].join('\n'), { fileName: 'zoo.cfg' });
  return 'errors' in parsed ? parsed.errors.map(({ message }) => message) : [];
}

test('one participant with observers needs standaloneEnabled=false', () => {
  const lone = ['server.1=a:1:2', 'server.2=b:1:2:observer'];
  assert.equal(errorsOf(...lone), [
    'one participant with observers (expected more participants, or standaloneEnabled=false)',
  ]);
  assert.equal(errorsOf('standaloneEnabled=false', ...lone), []);
  assert.equal(errorsOf(...lone, 'server.3=c:1:2'), []);
});

test('several addresses of a server need multiAddress.enabled=true', () => {
  const crowded = ['server.1=a:1:2|b:1:2', 'server.2=c:1:2', 'server.3=d:1:2'];
  assert.equal(errorsOf(...crowded), [
    'server.1 has 2 addresses (expected one, or multiAddress.enabled=true)',
  ]);
  assert.equal(errorsOf('multiAddress.enabled=true', ...crowded), []);
});

test.run();
