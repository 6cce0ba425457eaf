import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  type SnapshotSource,
  writeSnapshot,
  writeSnapshotStream,
} from '../../src/files/snapshot.js';
import { type SnapshotItem, SnapshotReader } from '../../src/files/snapshot-reader.js';
import { StatPersisted } from '../../src/protocol/data.js';
import { ByteBuilder, sealed } from '../support/bytes/zk-files.js';

const STAT: StatPersisted = {
  czxid: 0x1_0000_0001n,
  mzxid: 0x1_0000_0002n,
  ctime: 1_700_000_000_001n,
  mtime: 1_700_000_000_002n,
  version: 3,
  cversion: 4,
  aversion: 5,
  ephemeralOwner: -0x7fff_ffff_ffff_ffffn,
  pzxid: 0x1_0000_0006n,
};

function statBytes(builder: ByteBuilder): ByteBuilder {
  builder.long(STAT.czxid).long(STAT.mzxid).long(STAT.ctime).long(STAT.mtime);
  builder.int(STAT.version).int(STAT.cversion).int(STAT.aversion);
  return builder.long(STAT.ephemeralOwner).long(STAT.pzxid);
}

const READ_ALL = [{ perms: 1, id: { scheme: 'world', id: 'anyone' } }];
const BIG = Buffer.alloc(3000, 0x37);

function sourceOf(): SnapshotSource {
  return {
    zxid: 0x1_0000_0006n,
    sessions: [{ id: 0x1000_1234_5678_0000n, timeoutMs: 30_000 }],
    acls: [
      { key: 1n, acl: READ_ALL },
      { key: 2n, acl: [] },
    ],
    nodes: [
      { path: '', data: Buffer.alloc(0), aclKey: -1n, stat: STAT },
      { path: '/a', data: null, aclKey: 1n, stat: STAT },
      { path: '/a/ü', data: BIG, aclKey: 2n, stat: statBytes(new ByteBuilder()).build() },
    ],
  };
}

/** The same, built by hand. */
function expectedBody(): Buffer {
  const builder = new ByteBuilder().bytes(Buffer.from('ZKSN')).int(2).long(-1n);
  builder.int(1).long(0x1000_1234_5678_0000n).int(30_000);
  builder.int(2).long(1n).int(1).int(1).string('world').string('anyone').long(2n).int(0);
  statBytes(builder.string('').buffer(Buffer.alloc(0)).long(-1n));
  statBytes(builder.string('/a').buffer(null).long(1n));
  statBytes(builder.string('/a/ü').buffer(BIG).long(2n));
  return builder.string('/').build();
}

const DIGEST = { zxid: 0x1_0000_0006n, version: 2, digest: -5n };

function digestSection(file: Buffer): Buffer {
  const section = new ByteBuilder().long(DIGEST.zxid).int(2).long(DIGEST.digest).build();
  return sealed(Buffer.concat([file, section]));
}

function zxidSection(file: Buffer): Buffer {
  return sealed(Buffer.concat([file, new ByteBuilder().long(9n).build()]));
}

const ONE_SEAL = sealed(expectedBody());
const TWO_SEALS = digestSection(ONE_SEAL);
const THREE_SEALS = zxidSection(TWO_SEALS);

function copyOf(node: Extract<SnapshotItem, { kind: 'node' }>): SnapshotItem {
  const data = node.data === null ? null : Buffer.from(node.data);
  return { ...node, data, stat: Buffer.from(node.stat) };
}

/** All items but need-more, read in chunks out of one buffer; the views are copied. */
function read(file: Buffer, chunkSize = file.length + 1): SnapshotItem[] {
  const reader = new SnapshotReader(4096);
  const memory = Buffer.alloc(chunkSize);
  const items: SnapshotItem[] = [];
  for (let at = 0; ; ) {
    const item = reader.next();
    if (item.kind === 'need-more') {
      if (at === file.length) {
        reader.end();
      } else {
        const taken = file.copy(memory, 0, at, at + chunkSize);
        reader.push(memory.subarray(0, taken));
        at += taken;
      }
      continue;
    }
    items.push(item.kind === 'node' ? copyOf(item) : item);
    if (item.kind === 'end' || item.kind === 'invalid') {
      assert.is(reader.next(), item, 'the last item stays');
      return items;
    }
  }
}

const stat = statBytes(new ByteBuilder()).build();
const TREE: readonly SnapshotItem[] = [
  { kind: 'session', id: 0x1000_1234_5678_0000n, timeoutMs: 30_000 },
  { kind: 'acl', key: 1n, acl: READ_ALL },
  { kind: 'acl', key: 2n, acl: [] },
  { kind: 'node', path: '', data: Buffer.alloc(0), aclKey: -1n, stat },
  { kind: 'node', path: '/a', data: null, aclKey: 1n, stat },
  { kind: 'node', path: '/a/ü', data: BIG, aclKey: 2n, stat },
  { kind: 'valid' },
];
const DIGEST_ITEM: SnapshotItem = { kind: 'digest', ...DIGEST };

test('the writer gives the bytes of the format, with one, two and three seals', () => {
  const write = (source: SnapshotSource) => Buffer.concat([...writeSnapshot(source)]);
  assert.equal(write(sourceOf()), ONE_SEAL);
  assert.equal(write({ ...sourceOf(), digest: DIGEST }), TWO_SEALS);
  assert.equal(write({ ...sourceOf(), digest: DIGEST, lastProcessedZxid: 9n }), THREE_SEALS);
  assert.equal(write({ ...sourceOf(), lastProcessedZxid: 9n }), ONE_SEAL);
});

test('chunks are cut at nodes, and nodes are read on demand', () => {
  let given = 0;
  function* nodes() {
    for (const node of sourceOf().nodes) {
      given++;
      yield node;
    }
  }
  const chunks = writeSnapshot({ ...sourceOf(), nodes: nodes(), digest: DIGEST }, 100);
  const first = chunks.next();
  assert.is(given, 1);
  assert.ok(first.value instanceof Buffer && first.value.length >= 100);
  const rest = [...chunks];
  assert.ok(rest.length >= 2);
  assert.equal(Buffer.concat([first.value ?? Buffer.alloc(0), ...rest]), TWO_SEALS);
});

for (const chunkSize of [1, 5, 64, 1000, 100_000]) {
  test(`a snapshot is read in chunks of ${chunkSize}`, () => {
    assert.equal(read(ONE_SEAL, chunkSize), [...TREE, { kind: 'end' }]);
    assert.equal(read(TWO_SEALS, chunkSize), [...TREE, DIGEST_ITEM, { kind: 'end' }]);
    assert.equal(read(THREE_SEALS, chunkSize), [
      ...TREE,
      DIGEST_ITEM,
      { kind: 'lastProcessedZxid', zxid: 9n },
      { kind: 'end' },
    ]);
    assert.equal(read(zxidSection(ONE_SEAL), chunkSize), [
      ...TREE,
      { kind: 'lastProcessedZxid', zxid: 9n },
      { kind: 'end' },
    ]);
  });
}

test('a digest of the first version, a hex string, is skipped', () => {
  const section = new ByteBuilder().long(6n).int(1).string('deadbeef').build();
  const items = read(sealed(Buffer.concat([ONE_SEAL, section])));
  assert.equal(items.at(-2), { kind: 'digest', zxid: 6n, version: 1, digest: null });
  assert.is(items.at(-1)?.kind, 'end');
});

test('the stat of a node is 60 bytes, decoded on demand', () => {
  assert.equal(StatPersisted.decode(stat), STAT);
});

test('a snapshot cut anywhere but after a seal is invalid', () => {
  const whole = [ONE_SEAL.length, TWO_SEALS.length, THREE_SEALS.length];
  for (let cut = 0; cut <= THREE_SEALS.length; cut++) {
    const last = read(THREE_SEALS.subarray(0, cut)).at(-1);
    assert.is(last?.kind, whole.includes(cut) ? 'end' : 'invalid', `cut at ${cut}`);
  }
});

test('a changed byte makes a snapshot invalid, wherever it is', () => {
  for (const mask of [0xff, 0x01, 0x80]) {
    for (let at = 0; at < THREE_SEALS.length; at++) {
      const damaged = Buffer.from(THREE_SEALS);
      damaged[at] = (damaged[at] as number) ^ mask;
      assert.is(read(damaged, 4096).at(-1)?.kind, 'invalid', `byte ${at} ^ ${mask}`);
    }
  }
});

test('an error names its offset', () => {
  const reasonOf = (file: Buffer) => {
    const last = read(file).at(-1);
    return last?.kind === 'invalid' ? `${last.offset}: ${last.reason}` : 'valid';
  };
  const header = new ByteBuilder().bytes(Buffer.from('ZKSN')).int(2).long(-1n).build();
  const behindHeader = (bytes: Buffer) => Buffer.concat([header, bytes]);
  assert.is(
    reasonOf(Buffer.from('ZKLG\0\0\0\x02\0\0\0\0\0\0\0\0')),
    '0: wrong magic: 5a4b4c47 (expected "ZKSN")',
  );
  assert.is(reasonOf(header), '16: the file ends inside its sessions');
  assert.is(
    reasonOf(behindHeader(new ByteBuilder().int(-2).build())),
    '16: invalid count of sessions: -2',
  );
  const noLists = new ByteBuilder().int(0).int(0);
  assert.is(
    reasonOf(behindHeader(noLists.int(5000).build())),
    '24: too long: 5000 bytes (expected at most 4096)',
  );
  const seal = ONE_SEAL.length - 13;
  const wrongSeal = Buffer.from(ONE_SEAL);
  wrongSeal[seal + 7] = (wrongSeal[seal + 7] as number) ^ 1;
  assert.match(reasonOf(wrongSeal), new RegExp(`^${seal}: wrong checksum: \\d+ \\(expected`));
  const tooMuch = Buffer.concat([ONE_SEAL, Buffer.alloc(2000)]);
  assert.match(reasonOf(tooMuch), 'too many bytes after the first seal');
});

test('a leader sends only the body and the signature', () => {
  const magicAndVersion = 16;
  const signature = new ByteBuilder().string('BenWasHere').build();
  const expected = Buffer.concat([expectedBody().subarray(magicAndVersion), signature]);
  for (const chunkSize of [1, 100, 1 << 20]) {
    const pieces = [...writeSnapshotStream(sourceOf(), 'BenWasHere', chunkSize)];
    assert.equal(Buffer.concat(pieces), expected);
  }
});

test.run();
