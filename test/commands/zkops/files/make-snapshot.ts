import { ByteBuilder, sealed, zlibCrc32 } from '../../../support/bytes/zk-files.js';

export interface MadeNode {
  readonly path: string;
  readonly data?: Buffer | null;
  readonly version?: number;
  readonly owner?: bigint;
  readonly aclKey?: bigint;
  readonly mzxid?: bigint;
  readonly pzxid?: bigint;
  /** Created and changed, in ms. */
  readonly time?: bigint;
}

export interface MadeSnapshot {
  readonly nodes: readonly MadeNode[];
  readonly sessions?: readonly bigint[];
  /** The zxid of the digest. Without it, the snapshot has no digest. */
  readonly digestZxid?: bigint;
  /** Added to the correct digest. */
  readonly digestError?: bigint;
}

const CZXID = 0x5n;
const TIME = 1_700_000_000_000n;

/** The bytes of a snapshot as servers write it, without code of the project. */
export function makeSnapshot(made: MadeSnapshot): Buffer {
  const { nodes, sessions = [], digestZxid, digestError = 0n } = made;
  const file = new ByteBuilder().bytes(Buffer.from('ZKSN')).int(2).long(-1n);
  file.vector(sessions, (builder, id) => builder.long(id).int(30_000));
  file.int(1).long(1n).int(1).int(1).string('world').string('anyone');
  for (const node of nodes) {
    file
      .string(node.path)
      .buffer(dataOf(node))
      .long(node.aclKey ?? -1n);
    file
      .long(CZXID)
      .long(node.mzxid ?? CZXID)
      .long(node.time ?? TIME)
      .long(node.time ?? TIME);
    file
      .int(node.version ?? 0)
      .int(0)
      .int(0)
      .long(node.owner ?? 0n)
      .long(node.pzxid ?? CZXID);
  }
  const whole = sealed(file.string('/').build());
  if (digestZxid === undefined) return whole;
  const digest = nodes.reduce((sum, node) => sum + digestOf(node), digestError);
  const section = new ByteBuilder().long(digestZxid).int(2).long(digest).build();
  return sealed(Buffer.concat([whole, section]));
}

function dataOf({ data }: MadeNode): Buffer | null {
  return data === undefined ? Buffer.from('data') : data;
}

/** CRC-32 of path, data, and Stat, in the order of the digest. */
function digestOf(node: MadeNode): bigint {
  if (node.path.startsWith('/zookeeper/')) return 0n;
  const stat = new ByteBuilder()
    .long(CZXID)
    .long(node.mzxid ?? CZXID)
    .long(node.pzxid ?? CZXID)
    .long(node.time ?? TIME)
    .long(node.time ?? TIME);
  stat
    .int(node.version ?? 0)
    .int(0)
    .int(0)
    .long(node.owner ?? 0n);
  const parts = [Buffer.from(node.path), dataOf(node) ?? Buffer.alloc(0), stat.build()];
  return BigInt(zlibCrc32(Buffer.concat(parts)));
}

export const TREE: readonly MadeNode[] = [
  { path: '', data: Buffer.alloc(0) },
  { path: '/app', data: null },
  { path: '/app/big', data: Buffer.alloc(5000, 'x') },
  { path: '/app/big/leaf', data: Buffer.alloc(100, 'y') },
  { path: '/app/small', data: Buffer.from('1') },
  { path: '/locks' },
  { path: '/locks/a', owner: 0x77n },
  { path: '/locks/b', owner: 0x77n },
  { path: '/locks/c', owner: 0x78n, aclKey: 1n },
];
