import { OpCode } from '../../../src/protocol/op-code.js';
import { isOracle39 } from '../../support/apache/oracle.js';
import { Random } from '../../support/random.js';
import { asIn38, takesNoZxid } from './oracle-differences.js';
import type { Op, Step, World, WorldKind } from './world.js';
import { OPEN, USERS, WorldValues } from './world-values.js';

/**
 * Request types that a client may not send. 13 and 20 are in the table of differential.test.ts.
 */
const UNKNOWN_TYPES = [0, 10, 23, 99, 200, -5, 1_000_000] as const;

/** Makes the world of `seed`. All its znodes are below `top`. */
export function makeWorld(seed: number, top: string, kind: WorldKind, requests: number): World {
  return new WorldMaker(new Random(seed), top, kind).make(requests);
}

class WorldMaker {
  private readonly random: Random;
  private readonly values: WorldValues;
  private readonly top: string;
  private readonly kind: WorldKind;

  constructor(random: Random, top: string, kind: WorldKind) {
    this.random = random;
    this.values = new WorldValues(random, top, kind);
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
    // Apache answers these outside its pipeline, so their order among other replies varies.
    if (random.oneIn(25)) return { kind: 'requests', client, ops: [this.unordered()] };
    const ops = Array.from({ length: 1 + random.below(6) }, () => this.op());
    // Until it is applied, Apache's prep checks later requests against the old ACL. Ours does not.
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
    return random.oneIn(50) && !takesNoZxid(op) ? { ...op, cut: random.below(20) } : op;
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
        return {
          type: OpCode.delete,
          value: { path: this.values.path(), version: this.values.version() },
        };
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
    const path = this.values.path();
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
        return { type: OpCode.getEphemerals, value: { prefixPath: this.values.prefix() } };
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
    // Types 4 and 5, and separate modes, are new in 3.9: see differential-cases.test.ts.
    const types = this.kind === 'persistent' ? [0, 3, 6] : [0, 1, 2, 3, 6];
    return { type, value: { path: this.values.plainPath(), type: random.pick(types) } };
  }

  private armWatches(): Op {
    const { random, kind } = this;
    // Ours fires no event of a hidden znode here (kept-differences.ts).
    if (kind === 'locked') return this.findWatches();
    if (kind === 'persistent') {
      if (random.oneIn(2)) return this.addWatch();
      const paths = [this.values.path(), this.values.path()];
      return this.setWatches2({
        persistentWatches: paths.filter((path) => modeOf(path) === 0),
        persistentRecursiveWatches: paths.filter((path) => modeOf(path) === 1),
      });
    }
    const paths = () => Array.from({ length: random.below(3) }, () => this.values.path());
    const asked = this.setWatches2({
      dataWatches: paths(),
      existWatches: paths(),
      childWatches: paths(),
    });
    return random.oneIn(2) ? asked : { ...asked, type: OpCode.setWatches };
  }

  private addWatch(): Op {
    const path = this.values.path();
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
    const path = this.values.path();
    switch (random.below(8)) {
      case 0:
        return {
          type: OpCode.createContainer,
          value: this.createValue(path, random.oneIn(4) ? random.pick([0, 2, 5, 7]) : 4),
        };
      case 1: {
        const flags = random.oneIn(4) ? this.values.flags() : random.pick([5, 6]);
        const isTTL = flags === 5 || flags === 6;
        // A mode without a TTL and a negative one: Apache's server ends itself.
        const ttl = random.oneIn(4)
          ? random.pick(isTTL ? [0n, -1n, 1n << 40n, -5n] : [0n, 1n << 40n])
          : BigInt(3_600_000 + random.below(1000));
        return { type: OpCode.createTTL, value: { ...this.createValue(path, flags), ttl } };
      }
      case 2:
      case 3:
        return { type: OpCode.create2, value: this.createValue(path, this.values.flags()) };
      default:
        return { type: OpCode.create, value: this.createValue(path, this.values.flags()) };
    }
  }

  private createValue(path: string, flags: number, acl = this.values.acl()) {
    return { path, data: this.values.data(), acl, flags };
  }

  private setData(): Op {
    return {
      type: OpCode.setData,
      value: { path: this.values.path(), data: this.values.data(), version: this.values.version() },
    };
  }

  private setAclValue() {
    return { path: this.values.path(), acl: this.values.acl(), version: this.values.version() };
  }

  private reconfig(): Op {
    return {
      type: OpCode.reconfig,
      value: { joiningServers: '', leavingServers: '2', newMembers: null, curConfigId: -1n },
    };
  }

  private multi(): Op {
    const { random } = this;
    const ops = Array.from({ length: random.below(5) }, () => this.multiOp());
    if (random.oneIn(40)) ops.push({ type: OpCode.setACL, value: this.setAclValue() });
    if (random.oneIn(40)) {
      ops.unshift({ type: OpCode.getData, value: { path: this.values.path(), watch: false } });
    }
    return { type: OpCode.multi, ops };
  }

  private multiOp(): Op {
    const { random } = this;
    switch (random.below(7)) {
      case 0:
        return {
          type: OpCode.check,
          value: { path: this.values.path(), version: this.values.version() },
        };
      case 1:
        return {
          type: OpCode.delete,
          value: { path: this.values.path(), version: this.values.version() },
        };
      case 2:
      case 3:
        return this.setData();
      default: {
        const created = this.create();
        return isOracle39 ? created : asIn38(created);
      }
    }
  }

  private multiRead(): Op {
    const { random } = this;
    const ops = Array.from({ length: random.below(4) }, (): Op => {
      const type = random.pick([OpCode.getData, OpCode.getChildren]);
      return { type, value: { path: this.values.path(), watch: random.oneIn(2) } };
    });
    if (random.oneIn(40)) ops.push(this.create());
    return { type: OpCode.multiRead, ops };
  }
}

/** The mode of all watches of a path: 0 persistent, 1 persistent recursive. */
function modeOf(path: string): number {
  return path.length % 2;
}
