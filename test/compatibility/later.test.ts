// What 3.10 adds or changes, beside the names of page.test.ts and keys.test.ts.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { checkSrvTarget } from '../../src/client/hosts/srv-target.js';
import { parseConfig } from '../../src/server/config/parse-config.js';
import { ServerWorld } from '../server/server-world.js';
import { apacheNames, laterNames } from './apache.js';
import { FORMS, LATER_CLIENT_KEYS, LATER_KEYS, laterEntries } from './states-3.10.js';

const later = laterNames();

/** The forms that work as in 3.10, each by what shows it. */
const SHOWN: Readonly<Record<string, () => void>> = {
  'dns-srv://NAME': () => checkSrvTarget('dns-srv://zk.example.org/app'),
  'server.N=HOST:PORT:PORT;CLIENT;SECURE': () =>
    assert.equal(secureClient('server.1=a:2888:3888;2181;2281'), '*:2281'),
  'autopurge.purgeInterval=90s': () =>
    assert.equal(configOf('autopurge.purgeInterval=90s').autopurgePurgeIntervalHours, 90 / 3600),
  'version after -2': () => assert.is(versionAfter(-2), 0),
  'reconfig with only a TLS port': () =>
    assert.equal(secureClient('server.1=a:2888:3888;;2281'), '*:2281'),
};

function configOf(line: string) {
  const result = parseConfig(`dataDir=/d\nclientPort=1\n${line}\n`, { fileName: 'zoo.cfg' });
  if ('errors' in result) throw new Error(result.errors.map(({ text }) => text).join('\n'));
  return result.config;
}

function secureClient(line: string): string {
  const own = configOf(line).servers[0]?.secureClient;
  return `${own?.address ?? '*'}:${own?.port}`;
}

function versionAfter(version: number): number {
  const world = new ServerWorld();
  const client = world.client();
  client.push(client.create('/a'));
  world.ackAll();
  const { tree } = world.server.state;
  const node = tree.get('/a');
  assert.ok(node);
  tree.statOf(node).setData(tree.lastProcessedZxid, 0n, version, 0);
  client.push(client.setData('/a', version));
  world.ackAll();
  return tree.statOf(node).version;
}

test('every form of 3.10 has a proof, or a difference', () => {
  for (const form of later.forms) {
    const isShown = Object.hasOwn(SHOWN, form);
    assert.is(isShown !== Object.hasOwn(FORMS, form), true, form);
    SHOWN[form]?.();
  }
});

test('every state of 3.10 is of one of its names', () => {
  const others = Object.keys(LATER_CLIENT_KEYS).filter((key) => !later.clientKeys.includes(key));
  assert.equal(others, []);
  assert.equal(
    Object.keys(LATER_KEYS).filter((key) => !later.keys.includes(key)),
    [],
  );
  assert.equal(
    Object.keys(FORMS).filter((form) => !later.forms.includes(form)),
    [],
  );
  for (const [, name, { state, how }] of laterEntries(new Set())) {
    assert.is(state === 'same', how === '', name);
  }
});

test('what 3.10 adds is not of 3.9.5, and what it changes is', () => {
  const before = apacheNames();
  const old = new Set<string>([
    ...before.keys,
    ...before.clientKeys,
    ...Object.keys(before.commands),
    ...before.metrics,
    ...before.shellCommands,
  ]);
  const { keys, clientKeys, metrics, shellCommands, commands, defaults } = later;
  const added = [...keys, ...clientKeys, ...metrics, ...shellCommands, ...Object.keys(commands)];
  assert.equal(
    added.filter((name) => old.has(name)),
    [],
  );
  assert.equal(
    Object.keys(defaults).filter((key) => !old.has(key)),
    [],
  );
});

test('a zoo.cfg that asks for metrics over TLS opens only that port', () => {
  const config = configOf('metricsProvider.httpsPort=7001');
  assert.is(config.metricsProviderHttpsPort, 7001);
  assert.is(config.metricsProviderHttpPort, -1);
});

test.run();
