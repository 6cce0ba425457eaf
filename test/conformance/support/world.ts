import { createHash } from 'node:crypto';
import { CreateModes } from '../../../src/protocol/create-mode.js';
import type { ACL } from '../../../src/protocol/data.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { sequenceSuffix } from '../../../src/protocol/path.js';
import { Random } from './random.js';

/** A request as data: what is printed when two servers disagree can be pasted into a test. */
export interface Op {
  readonly type: number;
  /** The fields of its request record. `relativeZxid` counts from the start of the world. */
  readonly value?: Readonly<Record<string, unknown>>;
  /** Of multi and multiRead. */
  readonly ops?: readonly Op[];
  /** Only so many bytes of the body are sent. */
  readonly cut?: number;
}

/** What is done to both servers before their answers are compared. */
export type Step =
  /** Pipelined by one client in one turn. */
  | { readonly kind: 'requests'; readonly client: number; readonly ops: readonly Op[] }
  /** closeSession; the client then opens a new session. */
  | { readonly kind: 'end'; readonly client: number }
  /** The client comes back to its session. */
  | { readonly kind: 'reattach'; readonly client: number; readonly how: Reattach };

export type Reattach =
  /** The connection was lost before. */
  | 'after-loss'
  /** The old connection is still there. */
  | 'takeover'
  /** First with a wrong password, then with the right one. */
  | 'wrong-password'
  /** First as one who has seen a zxid that no server has reached yet. */
  | 'from-the-future';

export interface World {
  readonly clients: number;
  readonly steps: readonly Step[];
}

/**
 * What 3.8.0 does otherwise than 3.9 is kept apart rather than masked:
 * - `watched`: everybody may read everything, and there are one-shot watches
 * - `persistent`: the same with persistent watches alone, on a path always of one mode: before
 *   3.9.0 the last mode set on a path replaced the others (ZOOKEEPER-4466)
 * - `locked`: ACLs hide znodes, and no exists sets a watch: since 3.8.4 it needs READ. That events
 *   of hidden znodes are not sent is 3.8.4 too, but Debian's 3.8.0 has that fix (CVE-2024-23944)
 */
export type WorldKind = 'watched' | 'persistent' | 'locked';
export const WORLD_KINDS: readonly WorldKind[] = ['watched', 'persistent', 'locked'];

const USERS = ['bob:secret', 'ann:pw', 'super:test'] as const;
export const SUPER_USER = 'super:test';

/** What DigestAuthenticationProvider stores for "user:password". */
export function digestId(userAndPassword: string): string {
  const hash = createHash('sha1').update(userAndPassword).digest('base64');
  return `${userAndPassword.split(':', 1)[0]}:${hash}`;
}

const WORLD_READ: ACL = { perms: 1, id: { scheme: 'world', id: 'anyone' } };
const OPEN: readonly ACL[] = [{ perms: 31, id: { scheme: 'world', id: 'anyone' } }];
const GOOD_ACLS: readonly (readonly ACL[])[] = [
  [{ perms: 31, id: { scheme: 'digest', id: digestId('bob:secret') } }],
  [{ perms: 31, id: { scheme: 'auth', id: '' } }],
  [{ perms: 9, id: { scheme: 'auth', id: 'ignored' } }, WORLD_READ],
  [{ perms: 31, id: { scheme: 'ip', id: '127.0.0.1' } }],
  [{ perms: 30, id: { scheme: 'ip', id: '127.0.0.0/8' } }],
  [{ perms: 31, id: { scheme: 'ip', id: '10.1.2.3' } }],
  [
    { perms: 16, id: { scheme: 'world', id: 'anyone' } },
    { perms: 2, id: { scheme: 'digest', id: digestId('ann:pw') } },
  ],
  [WORLD_READ, WORLD_READ],
  [{ perms: 4, id: { scheme: 'world', id: 'anyone' } }],
  [{ perms: 0, id: { scheme: 'world', id: 'anyone' } }],
];
const BAD_ACLS: readonly (readonly ACL[])[] = [
  [],
  [{ perms: 31, id: { scheme: 'world', id: 'someone' } }],
  [{ perms: 31, id: { scheme: 'magic', id: 'x' } }],
  [{ perms: 31, id: { scheme: 'digest', id: 'nocolon' } }],
  [{ perms: 31, id: { scheme: 'digest', id: 'a:b:c' } }],
  [{ perms: 31, id: { scheme: 'ip', id: '127.0.0.300' } }],
  [{ perms: 31, id: { scheme: 'ip', id: '127.0.0.1/33' } }],
  [{ perms: 31, id: { scheme: 'ip', id: '127.0.0' } }],
  [...OPEN, { perms: 31, id: { scheme: 'magic', id: 'x' } }],
];
const NAMES = ['a', 'b', 'c', 'd'] as const;
/** Of the names that sequential creates make, those that come up soonest. */
const SEQUENCES = [0, 1, 2, 3].map(sequenceSuffix);
/** Request types that nobody may send; 13 and 20 are in differential.test.ts's table. */
const UNKNOWN_TYPES = [0, 10, 23, 99, 200, -5, 1_000_000] as const;

/** Makes the world that `seed` stands for; all its znodes are below `top`. */
export function makeWorld(seed: number, top: string, kind: WorldKind, requests: number): World {
  return new WorldMaker(new Random(seed), top, kind).make(requests);
}

class WorldMaker {
  private readonly random: Random;
  private readonly top: string;
  private readonly kind: WorldKind;

  constructor(random: Random, top: string, kind: WorldKind) {
    this.random = random;
    this.top = top;
    this.kind = kind;
  }

  make(requests: number): World {
    const { random } = this;
    const clients = 2 + random.below(3);
    const first: Op = { type: OpCode.create, value: this.createValue(this.top, 0, OPEN) };
    const steps: Step[] = [{ kind: 'requests', client: 0, ops: [first] }];
    for (let left = requests; left > 0; ) {
      const step = this.step(random.below(clients));
      left -= step.kind === 'requests' ? step.ops.length : 1;
      steps.push(step);
    }
    return { clients, steps };
  }

  private step(client: number): Step {
    const { random } = this;
    if (random.oneIn(60)) return { kind: 'end', client };
    if (random.oneIn(40)) {
      const how = random.pick([
        'after-loss',
        'takeover',
        'wrong-password',
        'from-the-future',
      ] as const);
      return { kind: 'reattach', client, how };
    }
    // Apache answers these outside its pipeline, so their place among other replies is a race.
    if (random.oneIn(25)) return { kind: 'requests', client, ops: [this.unordered()] };
    const ops = Array.from({ length: 1 + random.below(6) }, () => this.op());
    // Until it is applied Apache's prep holds what follows against the old ACL; ours does not.
    const end = ops.findIndex(({ type }) => type === OpCode.setACL) + 1;
    if (end > 0) ops.length = end;
    return { kind: 'requests', client, ops };
  }

  private unordered(): Op {
    const { random } = this;
    if (random.oneIn(5)) return { type: random.pick(UNKNOWN_TYPES) };
    if (random.oneIn(6)) return { type: OpCode.sasl, value: { token: Buffer.from('token') } };
    const [scheme, auth] = random.oneIn(6)
      ? random.pick([
          ['world', 'anyone'],
          ['magic', 'x'],
          ['ip', ''],
          ['digest', 'nocolon'],
          ['auth', 'x'],
        ] as const)
      : (['digest', random.pick(USERS)] as const);
    return { type: OpCode.auth, value: { type: 0, scheme, auth: Buffer.from(auth) } };
  }

  private op(): Op {
    const { random } = this;
    const op = random.oneIn(3) ? this.read() : this.write();
    // A reconfig that cannot be decoded takes no zxid at Apache's, unlike all other writes.
    if (!random.oneIn(50) || op.type === OpCode.reconfig) return op;
    return { ...op, cut: random.below(20) };
  }

  private write(): Op {
    const { random } = this;
    switch (random.below(13)) {
      case 0:
      case 1:
        return this.multi();
      case 2:
        return { type: OpCode.setACL, value: this.setAclValue() };
      case 3:
      case 4:
        return { type: OpCode.delete, value: { path: this.path(), version: this.version() } };
      case 5:
      case 6:
        return this.setData();
      case 7:
        return random.oneIn(8) ? this.reconfig() : this.create();
      default:
        return this.create();
    }
  }

  private read(): Op {
    const { random } = this;
    const watch = this.kind !== 'persistent' && random.oneIn(2);
    const path = this.path();
    switch (random.below(17)) {
      case 0:
        return { type: OpCode.getACL, value: { path } };
      case 1:
        return { type: OpCode.getChildren, value: { path, watch } };
      case 2:
        return { type: OpCode.getChildren2, value: { path, watch } };
      case 3:
        return { type: OpCode.sync, value: { path } };
      case 4:
        return { type: OpCode.ping };
      case 5:
        return { type: OpCode.getEphemerals, value: { prefixPath: this.prefix() } };
      case 6:
        return { type: OpCode.getAllChildrenNumber, value: { path } };
      case 7:
        return { type: OpCode.whoAmI };
      case 8:
        return this.multiRead();
      case 9:
        return this.findWatches();
      case 10:
      case 11:
        return this.armWatches();
      case 12:
      case 13:
        return { type: OpCode.exists, value: { path, watch: watch && this.kind === 'watched' } };
      default:
        return { type: OpCode.getData, value: { path, watch } };
    }
  }

  private findWatches(): Op {
    const { random } = this;
    const type = random.pick([OpCode.checkWatches, OpCode.removeWatches]);
    // The types 4 and 5 are 3.9's, as is telling modes apart: differential-cases.test.ts has them.
    const types = this.kind === 'persistent' ? [0, 3, 6] : [0, 1, 2, 3, 6];
    return { type, value: { path: this.plainPath(), type: random.pick(types) } };
  }

  private armWatches(): Op {
    const { random, kind } = this;
    if (kind === 'persistent') {
      if (random.oneIn(2)) return this.addWatch();
      const paths = [this.path(), this.path()];
      return this.setWatches2({
        persistentWatches: paths.filter((path) => modeOf(path) === 0),
        persistentRecursiveWatches: paths.filter((path) => modeOf(path) === 1),
      });
    }
    const paths = () => Array.from({ length: random.below(3) }, () => this.path());
    const asked = this.setWatches2({
      dataWatches: paths(),
      existWatches: paths(),
      childWatches: paths(),
    });
    return random.oneIn(2) ? asked : { ...asked, type: OpCode.setWatches };
  }

  private addWatch(): Op {
    const path = this.path();
    const mode = this.random.oneIn(20) ? 2 : modeOf(path);
    return { type: OpCode.addWatch, value: { path, mode } };
  }

  private setWatches2(watches: Readonly<Record<string, readonly string[]>>): Op {
    const value = {
      relativeZxid: BigInt(this.random.below(150)),
      dataWatches: [],
      existWatches: [],
      childWatches: [],
      persistentWatches: [],
      persistentRecursiveWatches: [],
      ...watches,
    };
    return { type: OpCode.setWatches2, value };
  }

  private create(): Op {
    const { random } = this;
    const path = this.path();
    switch (random.below(8)) {
      case 0:
        return {
          type: OpCode.createContainer,
          value: this.createValue(path, random.oneIn(4) ? random.pick([0, 2, 5, 7]) : 4),
        };
      case 1: {
        const flags = random.oneIn(4) ? this.flags() : random.pick([5, 6]);
        const isTTL = flags === 5 || flags === 6;
        // A mode without a time to live and a negative one: Apache's server ends itself.
        const ttl = random.oneIn(4)
          ? random.pick(isTTL ? [0n, -1n, 1n << 40n, -5n] : [0n, 1n << 40n])
          : BigInt(3_600_000 + random.below(1000));
        return { type: OpCode.createTTL, value: { ...this.createValue(path, flags), ttl } };
      }
      case 2:
      case 3:
        return { type: OpCode.create2, value: this.createValue(path, this.flags()) };
      default:
        return { type: OpCode.create, value: this.createValue(path, this.flags()) };
    }
  }

  private createValue(path: string, flags: number, acl = this.acl()) {
    return { path, data: this.data(), acl, flags };
  }

  private flags(): number {
    const { random } = this;
    if (random.oneIn(25)) return random.pick([4, 5, 6, 7, -1, 99]);
    const { PERSISTENT, EPHEMERAL, PERSISTENT_SEQUENTIAL, EPHEMERAL_SEQUENTIAL } = CreateModes;
    return random.pick([
      PERSISTENT,
      PERSISTENT,
      EPHEMERAL,
      PERSISTENT_SEQUENTIAL,
      EPHEMERAL_SEQUENTIAL,
    ]).flag;
  }

  private setData(): Op {
    return {
      type: OpCode.setData,
      value: { path: this.path(), data: this.data(), version: this.version() },
    };
  }

  private setAclValue() {
    return { path: this.path(), acl: this.acl(), version: this.version() };
  }

  private reconfig(): Op {
    return {
      type: OpCode.reconfig,
      value: { joiningServers: '', leavingServers: '2', newMembers: '', curConfigId: -1n },
    };
  }

  private multi(): Op {
    const { random } = this;
    const ops = Array.from({ length: random.below(5) }, () => this.multiOp());
    if (random.oneIn(40)) ops.push({ type: OpCode.setACL, value: this.setAclValue() });
    if (random.oneIn(40)) {
      ops.unshift({ type: OpCode.getData, value: { path: this.path(), watch: false } });
    }
    return { type: OpCode.multi, ops };
  }

  private multiOp(): Op {
    const { random } = this;
    switch (random.below(7)) {
      case 0:
        return { type: OpCode.check, value: { path: this.path(), version: this.version() } };
      case 1:
        return { type: OpCode.delete, value: { path: this.path(), version: this.version() } };
      case 2:
      case 3:
        return this.setData();
      default: {
        const op = this.create();
        // Apache's server trips over a mode with a time to live in a create that has none.
        const isTTL = op.value?.['flags'] === 5 || op.value?.['flags'] === 6;
        return isTTL && op.type !== OpCode.createTTL
          ? { ...op, value: { ...op.value, flags: 0 } }
          : op;
      }
    }
  }

  private multiRead(): Op {
    const { random } = this;
    const ops = Array.from({ length: random.below(4) }, (): Op => {
      const type = random.pick([OpCode.getData, OpCode.getChildren]);
      return { type, value: { path: this.path(), watch: random.oneIn(2) } };
    });
    if (random.oneIn(40)) ops.push(this.create());
    return { type: OpCode.multiRead, ops };
  }

  private path(): string {
    return this.random.oneIn(30) ? this.strangePath() : this.plainPath();
  }

  private plainPath(): string {
    const { random, top } = this;
    let path = `${top}/${random.pick(NAMES)}`;
    while (random.oneIn(3) && path.length < top.length + 8) path += `/${random.pick(NAMES)}`;
    if (random.oneIn(8)) path += random.pick(SEQUENCES);
    return path;
  }

  private strangePath(): string {
    const { random, top } = this;
    return random.pick([
      '',
      '/',
      top,
      'relative',
      `${top}/`,
      `${top}/a/`,
      `${top}//a`,
      `${top}/a//b`,
      `${top}/.`,
      `${top}/..`,
      `${top}/../a`,
      `${top}/.a`,
      `${top}/a.`,
      `${top}/\0`,
      `${top}/a\u001f`,
      `${top}/\u007f`,
      `${top}/ö\u00a0`,
      `${top}/\uf900`,
      `${top}/\ue000`,
      `${top}/\ufff0`,
      `${top}/\u{1f600}`,
      '/zookeeper',
      '/zookeeper/config',
      '/zookeeper/quota',
      '/zookeeper/nothing/here',
    ]);
  }

  private prefix(): string {
    const { random, top } = this;
    return random.pick(['/', '', ' ', top, `${top}/a`, `${top}/`, '/nowhere']);
  }

  private version(): number {
    const { random } = this;
    return random.oneIn(2) ? -1 : random.pick([0, 0, 1, 2, 3, -2, 2_147_483_647]);
  }

  private data(): Buffer | null {
    const { random } = this;
    switch (random.below(6)) {
      case 0:
        return null;
      case 1:
        return Buffer.alloc(0);
      case 2:
        return Buffer.from(Array.from({ length: 1 + random.below(300) }, () => random.below(256)));
      default:
        return Buffer.from(`value ${random.below(1000)}`);
    }
  }

  private acl(): readonly ACL[] {
    const { random } = this;
    if (random.oneIn(25)) return random.pick(BAD_ACLS);
    if (!random.oneIn(4)) return OPEN;
    const acl = random.pick(GOOD_ACLS);
    return this.kind === 'locked' ? acl : [...acl, WORLD_READ];
  }
}

/** The mode in which a path is always watched: 0 persistent, 1 persistent recursive. */
function modeOf(path: string): number {
  return path.length % 2;
}
