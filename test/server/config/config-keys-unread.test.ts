import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseConfig } from '../../../src/server/config/parse-config.js';

const BASE = 'dataDir=/var/zk\nclientPort=2181\n';

/** The only problem with a key, and whether it is an error. */
function problemOf(line: string, properties: Record<string, string> = {}) {
  const result = parseConfig(`${BASE}${line}\n`, { fileName: 'zoo.cfg', properties });
  const isError = 'errors' in result;
  const problems = isError ? result.errors : result.warnings;
  assert.is(problems.length, 1);
  return { isError, text: problems[0]?.text ?? '' };
}

for (const [line, text] of [
  ['commitProcessor.numWorkerThreads=2', 'has no effect: only a Java server needs it'],
  ['zookeeper.ssl.sslProvider=OPENSSL', 'has no effect: only a Java server needs it'],
  [
    'kinit=/k',
    'has no effect: a server gets a ticket when it dials and has none, and runs no kinit',
  ],
  [
    'observer.syncEnabled=false',
    'has no effect here: an observer always keeps them, and needs less from the leader at its next start',
  ],
] as const) {
  test(`known, but without effect: ${line}`, () => {
    const key = line.slice(0, line.indexOf('='));
    assert.equal(problemOf(line), { isError: false, text: `zoo.cfg:3: ${key}: ${text}` });
  });
}

const WHY =
  'not supported: a server cannot run a Java class, so clients or servers would not be checked as it says';

for (const key of ['ssl.context.supplier.class', 'ssl.quorum.context.supplier.class']) {
  test(`a Java class that protects connections is an error: ${key}`, () => {
    const written = problemOf(`${key}=com.example.Supplier`);
    assert.equal(written, { isError: true, text: `zoo.cfg:3: ${key}: ${WHY}` });
    const given = problemOf('', { [`zookeeper.${key}`]: 'com.example.Supplier' });
    assert.equal(given, { isError: true, text: `-D zookeeper.${key}: ${WHY}` });
  });
}

test.run();
