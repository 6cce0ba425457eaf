// conformance: runs against Apache's server, too.
// One script with Apache's server, a bundled one, and an ensemble of three: the same output from
// all.
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { oracleTest, startOracle } from '../support/apache/oracle.js';
import { startBundled, startBundledEnsemble } from '../support/bundled.js';
import { runZksh } from '../support/terminal/run-zksh.js';

const SCRIPT = `
create /a hello
get /a
ls /
create /n
get /n
create /empty ''
get /empty
create /a again
create /x/y z
create -p /x/y z
create -s /x/seq- 1
create -s /x/seq- 2
create -s /x/y/
create -e /e ephemeral
create /e/child
create -e -s /e-
create -c /container
getEphemerals
getEphemerals /e-
ls -R /x
stat /a
get -s /e
ls -s /x
set /a 'two words'
get /a
set -v 0 /a x
set -v 1 /a "\\xff\\x00\\n"
get -x /a
get -b /a
set -s /a ''
stat /nope
delete /x
delete -v 9 /n
delete /n
delete /n
getAcl /a
setAcl /a world:anyone:cdra
set /a x
setAcl -s /a world:anyone:cdrwa,ip:127.0.0.1:r
getAcl -s /a
create /d x digest:bob:nohash:r
get /d
getAcl /d
setAcl /d world:anyone:cdrwa
setAcl --force /a nosuch:ann:r
setAcl --force /a auth::r
setAcl /a ip:10.0.0.1:cdrwa
addauth digest ann:secret
create /ann mine auth::cdrwa
getAcl /ann
whoami
get -w /a
set /a watched
set /a unwatched
ls -w /x
create /x/new
stat -w /x/new
delete /x/new
stat -w /later
create /later
addWatch -m PERSISTENT /a
set /a 1
create /a/child
set /a/child 2
removewatches /a
set /a 3
removewatches /a
addWatch /a
set /a/child 4
create /a/child/deep
delete /a/child/deep
getAllChildrenNumber /
getAllChildrenNumber /a
sync /
config
cd /x
pwd
ls
cd y
ls ..
cd -
cd /nope
deleteall -n /a
deleteall /a
deleteall -y /a
deleteall -y /a
deleteall /
ls /zookeeper
get /zookeeper/quota
create /zookeeper/mine
delete /zookeeper
set /größe/値 x
create -p /größe/値 "\\u{4e2d} 文"
get /größe/値
create "/with space" ' '
ls '/with space'
close
ls /
connect
ls /
`;

/**
 * Times, and the names of server and session, differ from run to run. An ensemble writes in its
 * first epoch, and has a configuration. Everything else must be equal.
 */
function normalized(text: string): string {
  return text
    .replace(/^([cmp]Zxid = 0x)1(?=\w{8}$)0*/gm, '$1')
    .replace(/^(server\.\d=.*\n)+version=0$/m, '')
    .replace(/127\.0\.0\.1:\d+/g, 'SERVER')
    .replace(/^([cm]time = ).*$/gm, '$1TIME')
    .replace(/session 0x[0-9a-f]+, timeout \d+ ms/g, 'session ID, timeout T ms')
    .replace(/^(ephemeralOwner = )0x[0-9a-f]{5,}$/gm, '$1SESSION');
}

async function transcript(target: string, ...options: string[]): Promise<string> {
  const { stdout, stderr, code } = await runZksh([target, '--keep-going', ...options], SCRIPT);
  return normalized(`${stdout}--- errors\n${stderr}--- ${code}\n`);
}

oracleTest(
  "a script prints the same on Apache's server, a bundled one, and an ensemble of three",
  async () => {
    const oracle = await startOracle();
    const bundled = await startBundled();
    const ensemble = await startBundledEnsemble();
    try {
      const expected = await transcript(oracle.connectString);
      assert.match(expected, /^Created \/a\nhello\n\[a, zookeeper\]\n/);
      assert.fixture(await transcript(bundled.connectString), expected);
      assert.fixture(await transcript(ensemble.connectString), expected);
      for (const { connectString } of [oracle, bundled, ensemble]) {
        const { stdout } = await runZksh([connectString, '-c', 'create -e /left; ls /']);
        assert.match(stdout, /[[ ]left[,\]]/);
        assert.not.match(
          (await runZksh([connectString, '-c', 'ls /'])).stdout,
          /[[ ](e|left)[,\]]/,
        );
      }
    } finally {
      await ensemble.close();
      await bundled.close();
      await oracle.close();
    }
  },
);

test('the first three lines of the script, on an embedded server', async () => {
  const run = await runZksh(['--embedded'], 'create /a hello\nget /a\nls /\n');
  assert.equal([run.stdout, run.stderr, run.code], ['Created /a\nhello\n[a, zookeeper]\n', '', 0]);
});

test.run();
