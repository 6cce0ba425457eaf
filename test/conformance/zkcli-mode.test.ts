/** Runs one script through `zksh --zkcli` and Apache's Java shell, with the same output. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { oracleTest, spawnJava, startOracle } from '../support/apache/oracle.js';
import { runCli } from '../support/apache/zkcli-run.js';
import { Dialogue } from './support/dialogue.js';

const SCRIPT = [
  'create /a hello',
  'get /a',
  'get -s /a',
  'create /a again',
  'create /missing/child x',
  'create /null',
  'get /null',
  "create /empty ''",
  'get /empty',
  'create -e /e owned',
  'create /e/child x',
  'create -s /a/seq- one',
  'create -e -s /a/both- two',
  'create -c /container x',
  'create -t 5000 /ttl x',
  'create -e -c /t x',
  'create -t 0 /t x',
  'create -t x /t x',
  'create -e -t 5 /t x',
  'create -c -t 5 /t x',
  'create a b',
  'create /a/ b',
  'create //a b',
  'create /a/../b c',
  'create',
  'ls /',
  'ls',
  'ls -s /a',
  'ls -R /a',
  'ls /a watch',
  'ls -q /a',
  'stat /a',
  'stat /missing',
  'stat /a watch',
  'get /a watch',
  'set /a world',
  'set -s /a again',
  'set -v 7 /a never',
  'get /a',
  'set -v',
  'sync /a',
  'sync',
  'delete /missing',
  'delete /a',
  'delete -v 9 /null',
  'deleteall /missing',
  'deleteall -b x /a',
  'getAcl /a',
  'getAcl -s /a',
  'setAcl /a bogus',
  'setAcl /a world:anyone:cdra',
  'set /a refused',
  'setAcl -s /a world:anyone:cdrwa',
  'setAcl /a nosuch:ann:r',
  'getAllChildrenNumber /',
  'getEphemerals /e',
  'getEphemerals',
  'create /n',
  'create /n/below x',
  'setquota -n 0 /n',
  'setquota -n x /n',
  'setquota -b -1 /n',
  'setquota -n 5 /nope',
  'setquota -n 5 /zookeeper/quota',
  'setquota /n',
  'setquota -N 5 /n',
  'setquota -n 1 /n',
  'setquota -b 2 /n',
  'listquota /n',
  'setquota -n 5 /n/below',
  'listquota /a',
  'delquota -n /n',
  'listquota /n',
  'delquota /n',
  'delquota /n',
  'listquota /n',
  'addauth digest ann:secret',
  'addauth',
  'create /ann mine auth::cdrwa',
  'getAcl /ann',
  'addWatch -m NEVER /a',
  'removewatches /null',
  'removewatches -l /null',
  'addWatch /e',
  'removewatches /e -l',
  'removewatches -l',
  'config -q',
  'reconfig',
  'reconfig -add 9=localhost:1:2 -members 9=x',
  'reconfig -members 9=x -file y',
  'reconfig -v z -remove 1',
  'reconfig -add 9=localhost:1:2',
  'printwatches',
  'printwatches off',
  'printwatches',
  'history',
  'redo 1',
  'redo 999',
  'foo',
  'help',
  'deleteall /a',
  'ls /',
  'quit',
];

/** Times, and the names of session and server, differ from run to run. */
function masked(text: string): string {
  return text
    .replaceAll(/^([cm]time) = .*$/gm, '$1 = …')
    .replaceAll(/^(\w+xid) = .*$/gim, '$1 = …')
    .replaceAll(/^ephemeralOwner = 0x[1-9a-f][0-9a-f]*$/gm, 'ephemeralOwner = …')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:…')
    .replaceAll(/\nWATCHER::\n\nWatchedEvent .*\n/g, '')
    .replaceAll(/^(Welcome to ZooKeeper!|JLine support is disabled)\n/gm, '');
}

/** The usage of Apache's shell 3.8 has no `exit`, and differs where 3.9 changed it. */
function withoutNews(text: string): string {
  return text.replaceAll(/^\t(exit|get|set) .*\n/gm, '');
}

oracleTest("zksh --zkcli prints what Apache's Java shell prints", async () => {
  const config = { extendedTypesEnabled: 'true' };
  const [first, second] = await Promise.all([startOracle({ config }), startOracle({ config })]);
  const java = new Dialogue(
    spawnJava(['org.apache.zookeeper.ZooKeeperMain', '-server', `127.0.0.1:${first.port}`], {
      'org.slf4j.simpleLogger.defaultLogLevel': 'off',
    }),
  );
  try {
    java.say(...SCRIPT);
    const theirs = { code: await java.finish(), out: masked(java.out), err: java.err };
    const ours = await runCli(second.connectString, [], SCRIPT.map((line) => `${line}\n`).join(''));
    assert.fixture(masked(ours.out), theirs.out);
    assert.fixture(withoutNews(ours.err), withoutNews(theirs.err));
    assert.is(ours.code, theirs.code);
  } finally {
    await java.kill();
    await Promise.all([first.close(), second.close()]);
  }
});

test.run();
