import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { SnapshotReader } from '../../../../src/files/snapshot-reader.js';
import { StatPersisted } from '../../../../src/protocol/data.js';
import { Database } from '../../../../src/server/persistence/replay.js';
import type { SnapshotContent } from '../../../../src/server/persistence/snapshot-content.js';
import { addNode } from '../../../support/bytes/add-node.js';
import { ByteBuilder } from '../../../support/bytes/byte-builder.js';
import { freePort } from '../../../support/machine/free-port.js';
import { waitFor } from '../../../support/wait-for.js';
import { limitsIn, within } from './quorum-port-world.js';

/** A tree of `count` znodes of 1000 bytes. */
function snapshotOf(content: SnapshotContent, isWanted = () => true) {
  return { kind: 'link-snapshot', link: 1, content, isWanted } as const;
}

function makeContent(count: number): SnapshotContent {
  const database = new Database({ isTTLEnabled: false, isDigestEnabled: true });
  const zeros = { ctime: 0n, mtime: 0n, version: 0, cversion: 0, aversion: 0, ephemeralOwner: 0n };
  const stat = StatPersisted.encode({ czxid: 1n, mzxid: 1n, pzxid: 1n, ...zeros });
  addNode(database, '', Buffer.alloc(0), -1n, stat);
  for (let i = 0; i < count; i++) addNode(database, `/n${i}`, Buffer.alloc(1000, 7), -1n, stat);
  database.finishSnapshot(5n);
  return { tree: database.tree, sessions: [{ id: 9n, timeoutMs: 4000 }], zxid: 5n };
}

const SIGNATURE = new ByteBuilder().string('BenWasHere').build();

test('reports a connection, its bytes, and its end, and sends the data of one turn in order', () =>
  within(async ({ port, call, of }) => {
    const { socket, received } = call();
    const { link, remote } = await waitFor('the connection', () => of('link-opened')[0]);
    assert.is(link, 1);
    assert.is(remote, `127.0.0.1:${socket.localPort}`);
    socket.write('hello');
    await waitFor('its bytes', () => of('link-received').length > 0);
    assert.equal(of('link-received')[0]?.bytes, Buffer.from('hello'));
    for (const word of ['a', 'b', 'c']) port.send(link, Buffer.from(word));
    await waitFor('the sent data', () => received().length === 3);
    assert.is(received().toString(), 'abc');
    socket.destroy();
    await waitFor('the end', () => of('link-closed').length > 0);
    assert.is(of('link-closed')[0]?.link, 1);
  }));

test('the port keeps its address after its member was removed', () =>
  within(async ({ port, call, of }) => {
    await port.listen([]);
    call();
    await waitFor('the connection', () => of('link-opened')[0]);
  }));

test('closes a link after pending data and reports nothing more of it', () =>
  within(async ({ port, call, events, of }) => {
    const { socket, received, isEnded } = call();
    await waitFor('the connection', () => of('link-opened').length > 0);
    port.send(1, Buffer.alloc(1_000_000, 1));
    port.closeLink(1);
    socket.write('too late');
    await waitFor('the end', isEnded);
    assert.is(received().length, 1_000_000);
    assert.equal(
      events.map(({ kind }) => kind),
      ['link-opened'],
    );
  }));

test('connects and reports the outcome with the same number', () =>
  within(async ({ port, of, serve }) => {
    const { port: taken, sockets } = await serve();
    const nobody = { host: '127.0.0.1', port: await freePort() };
    const addresses = [nobody, { host: '127.0.0.1', port: taken }];
    port.dial({ kind: 'link-dial', link: -1, addresses, timeoutMs: 5000 });
    await waitFor('the link', () => of('link-opened').length > 0);
    assert.equal(of('link-opened')[0], {
      kind: 'link-opened',
      link: -1,
      remote: `127.0.0.1:${taken}`,
    });
    sockets[0]?.write('welcome');
    await waitFor('its bytes', () => of('link-received').length > 0);
    port.dial({ kind: 'link-dial', link: -2, addresses: [nobody], timeoutMs: 5000 });
    await waitFor('the refusal', () => of('link-closed').length > 0);
    assert.equal(of('link-closed')[0], {
      kind: 'link-closed',
      link: -2,
      reason: `127.0.0.1:${nobody.port} refused the connection`,
    });
    // A canceled attempt is not reported.
    port.dial({ kind: 'link-dial', link: -3, addresses, timeoutMs: 5000 });
    port.closeLink(-3);
    port.dial({ kind: 'link-dial', link: -4, addresses, timeoutMs: 5000 });
    await waitFor('the next', () => of('link-opened').some(({ link }) => link === -4));
    assert.not.ok(of('link-opened').some(({ link }) => link === -3));
  }));

test('a snapshot that is no longer needed ends with its connection', () =>
  within(async ({ port, call, of }) => {
    const { received } = call();
    await waitFor('the connection', () => of('link-opened').length > 0);
    let pieces = 0;
    port.sendSnapshot(snapshotOf(makeContent(20_000), () => ++pieces < 5));
    await waitFor('it to end', () => of('link-closed').length > 0);
    assert.match(
      `${of('link-closed')[0]?.reason}`,
      /cannot send the snapshot: the link was closed before/,
    );
    assert.not.ok(received().includes(SIGNATURE));
    assert.equal(of('snapshot-sent'), []);
  }));

test('a snapshot is sent in pieces, and later packets follow it', () =>
  within(async ({ port, call, of }) => {
    const { socket, received } = call();
    await waitFor('the connection', () => of('link-opened').length > 0);
    const content = makeContent(5000);
    port.send(1, Buffer.from('SNAP'));
    port.sendSnapshot(snapshotOf(content));
    socket.pause();
    port.send(1, Buffer.from('NEWLEADER'));
    port.sendSnapshot(snapshotOf(makeContent(1)));
    port.send(1, Buffer.from('UPTODATE'));
    socket.resume();
    await waitFor('all of it', () => received().subarray(-8).toString() === 'UPTODATE');
    assert.equal(of('snapshot-sent'), Array(2).fill({ kind: 'snapshot-sent', link: 1 }));
    const bytes = received();
    const end = bytes.indexOf(SIGNATURE);
    const afterFirst = end + SIGNATURE.length;
    assert.is(bytes.subarray(0, 4).toString(), 'SNAP');
    assert.is(bytes.subarray(afterFirst, afterFirst + 9).toString(), 'NEWLEADER');
    assert.is(bytes.lastIndexOf(SIGNATURE), bytes.length - 8 - SIGNATURE.length);
    // The body is that of a file between its head and its first seal.
    const reader = new SnapshotReader(1 << 20);
    reader.push(new ByteBuilder().bytes(Buffer.from('ZKSN')).int(2).long(-1n).build());
    reader.push(bytes.subarray(4, end));
    let nodes = 0;
    for (let item = reader.next(); item.kind !== 'need-more'; item = reader.next()) {
      if (item.kind === 'invalid') throw new Error(item.reason);
      if (item.kind === 'node') nodes++;
    }
    // The root and the default znodes below /zookeeper are included.
    assert.is(nodes, [...content.tree.walk()].length);
  }));

test('txns of the log are sent as they are read, and later packets follow them', () =>
  within(async ({ port, call, of }) => {
    const { received } = call();
    await waitFor('the connection', () => of('link-opened').length > 0);
    let isLast: () => void = () => undefined;
    const last = new Promise<void>((resolve) => {
      isLast = resolve;
    });
    async function* packets() {
      yield Buffer.from('one ');
      await last;
      yield Buffer.from('two ');
    }
    port.send(1, Buffer.from('DIFF '));
    port.sendTxns(1, packets());
    port.send(1, Buffer.from('NEWLEADER'));
    await waitFor('the first', () => received().toString() === 'DIFF one ');
    isLast();
    await waitFor('all of it', () => received().toString() === 'DIFF one two NEWLEADER');
  }));

test('a log that cannot be read to its end ends the link', () =>
  within(async ({ port, call, of }) => {
    const { received } = call();
    await waitFor('the connection', () => of('link-opened').length > 0);
    async function* packets() {
      yield Buffer.from('one ');
      throw new Error('it is gone');
    }
    port.sendTxns(1, packets());
    port.send(1, Buffer.from('NEWLEADER'));
    await waitFor('the end', () => of('link-closed').length > 0);
    assert.is(of('link-closed')[0]?.reason, 'cannot send the log: it is gone');
    assert.not.ok(received().toString().includes('NEWLEADER'));
  }));

test('a link that does not read is closed when too much data is pending, also during a snapshot', () =>
  within(
    async ({ port, call, of, events }) => {
      const first = call();
      first.socket.pause();
      await waitFor('the first', () => of('link-opened').length === 1);
      port.sendSnapshot(snapshotOf(makeContent(20_000)));
      const second = call();
      second.socket.pause();
      await waitFor('the second', () => of('link-opened').length === 2);
      for (let i = 0; i < 20 && of('link-closed').length < 2; i++) {
        for (const link of [1, 1, 2, 2]) port.send(link, Buffer.alloc(1_000_000));
        await new Promise(setImmediate);
      }
      await waitFor('both to end', () => of('link-closed').length === 2);
      for (const { reason } of of('link-closed')) {
        assert.is(reason, 'it did not read: over 4000000 bytes are pending');
      }
      const limit = 'quorumUnreadBytes 4000000';
      assert.equal(limitsIn(events), [limit, limit]);
    },
    { linkLimits: { maxWaitingBytes: 4_000_000 } },
  ));

test.run();
