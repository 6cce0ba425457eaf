import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTempDir } from '../../support/machine/temp-dir.js';
import {
  type Behavior,
  closeAll,
  notServing,
  refuses,
  startFake,
} from '../../support/peers/fake-member.js';
import { codesOf, runZkops } from '../../support/terminal/run-zkops.js';
import { flat, follower, over } from '../zkops/fake-ensemble.js';
import { srvrText } from '../zkops/members-of.js';

test('followers that serve have a leader: one that serves no clients is asked over HTTP', async () => {
  const behaviors = [notServing, follower(), follower()];
  const hidden = await over(behaviors);
  assert.is(hidden.exitCode, 1);
  assert.is(codesOf(hidden)[0], 'leader-hidden');

  const admin = createServer((request, response) => {
    assert.is(request.url, '/commands/zabstate');
    response.end('{"is_leader" : true, "zabstate" : "broadcast", "error" : null}');
  });
  await new Promise<void>((resolve) => admin.listen(0, '127.0.0.1', resolve));
  const address = admin.address();
  if (address === null || typeof address === 'string') throw new Error('no port was bound');
  const fakes = await Promise.all(behaviors.map(startFake));
  const folder = makeTempDir('zkops');
  try {
    const hosts = join(folder.path, 'hosts.txt');
    const lines = fakes.map(({ port }) => `127.0.0.1:${port} admin=${address.port}\n`);
    writeFileSync(hosts, lines.join(''));
    const asked = await runZkops(['health', '--ensemble', hosts, '--confirm', '50']);
    assert.is(asked.exitCode, 0, asked.out);
    assert.match(flat(asked), 'leads and serves no clients (leaderServes=no)');
  } finally {
    await closeAll(fakes);
    await new Promise((resolve) => admin.close(resolve));
    folder.remove();
  }
});

test('an AdminServer stands in for a refused mntr, and the footnote is gone', async () => {
  const narrow: Behavior = (socket, word, bytes) =>
    word === 'srvr' ? socket.end(srvrText('standalone')) : refuses(socket, word, bytes);
  const admin = createServer((_, response) => {
    response.end(
      '{"server_state":"standalone","outstanding_requests":77,"last_zxid":72057671992279040,' +
        '"command":"monitor","error":null}',
    );
  });
  await new Promise<void>((resolve) => admin.listen(0, '127.0.0.1', resolve));
  const address = admin.address();
  if (address === null || typeof address === 'string') throw new Error('no port was bound');
  const fake = await startFake(narrow);
  const folder = makeTempDir('zkops');
  try {
    const hosts = join(folder.path, 'hosts.txt');
    writeFileSync(hosts, `127.0.0.1:${fake.port} admin=${address.port} name=alone\n`);
    const run = await runZkops(['mntr', '--ensemble', hosts, '--confirm', '50', '-o', 'json']);
    const [member] = JSON.parse(run.out).members;
    assert.is(member.server, 'alone');
    assert.is(member.note, null);
    assert.is(member.metrics.outstanding_requests, 77);
    assert.is(member.metrics.last_zxid, '72057671992279040');
    assert.is(run.exitCode, 2, 'the figure is held against its limit');
  } finally {
    await fake.close();
    await new Promise((resolve) => admin.close(resolve));
    folder.remove();
  }
});

test.run();
