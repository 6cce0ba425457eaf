import { OutputArchive } from '../../src/jute/output-archive.js';
import { ErrorCode } from '../../src/protocol/error-code.js';
import { OpCode } from '../../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../../src/protocol/perms.js';
import {
  CreateRequest,
  CreateResponse,
  DeleteRequest,
  GetDataResponse,
  MultiHeader,
  PathRequest,
  PathWatchRequest,
  ReconfigRequest,
  SetDataRequest,
} from '../../src/protocol/proto.js';
import type { QuorumServerConfig } from '../../src/server/config-ensemble.js';
import type { Random } from '../support/random.js';
import { TWINS } from './checks.js';
import type { ClientNode } from './client-node.js';
import type { History } from './history.js';
import type { Scheduler } from './scheduler.js';
import { lineOf } from './shape.js';

const KEYS = ['/key-0', '/key-1', '/key-2', '/key-3'];
const EPHEMERALS = '/ephemeral';
const SEQUENCE = '/sequence';
const ROOTS = [...KEYS, ...TWINS, EPHEMERALS, SEQUENCE];
const MAX_IN_FLIGHT = 4;
const EPHEMERAL = 1;
const SEQUENTIAL = 2;

/** What one client does for as long as the simulation lasts: a bit of everything. */
export class Workload {
  private readonly client: ClientNode;
  private readonly history: History;
  private readonly scheduler: Scheduler;
  private readonly random: Random;
  /** All servers where the membership may change; none where not. */
  private readonly joiners: readonly QuorumServerConfig[];
  private count = 0;
  private own: string[] = [];
  private readonly made = new Set<string>();
  /** Nothing more is asked. */
  isOver = false;

  constructor(
    client: ClientNode,
    parts: {
      readonly history: History;
      readonly scheduler: Scheduler;
      readonly random: Random;
      readonly joiners: readonly QuorumServerConfig[];
    },
  ) {
    this.client = client;
    this.history = parts.history;
    this.scheduler = parts.scheduler;
    this.random = parts.random;
    this.joiners = parts.joiners;
    client.onExpired = () => {
      this.own = [];
    };
  }

  start(): void {
    this.scheduler.later(1 + this.random.below(160), () => {
      if (this.isOver) return;
      if (this.client.isOpen && this.client.sent.length < MAX_IN_FLIGHT) this.act();
      this.start();
    });
  }

  /** One write, whatever else happens; `done` hears whether it worked. */
  probe(done: (isWritten: boolean) => void): void {
    this.set(KEYS[0] as string, 'probe', done);
  }

  private act(): void {
    const { random } = this;
    const key = random.pick(KEYS);
    if (random.oneIn(40)) {
      this.client.leave();
      return;
    }
    if (this.joiners.length > 0 && random.oneIn(12)) {
      if (random.oneIn(3)) this.get('/zookeeper/config', true);
      else this.reconfigure();
      return;
    }
    const text = `${this.client.id}-${++this.count}`;
    switch (random.below(12)) {
      case 0:
      case 1:
      case 2:
        this.set(key, text);
        break;
      case 3:
      case 4:
        this.get(key, false);
        break;
      case 5:
        this.get(random.pick([...KEYS, ...TWINS]), true);
        break;
      case 6:
        this.create(`${EPHEMERALS}/${text}`, EPHEMERAL);
        break;
      case 7:
        this.create(`${SEQUENCE}/${random.pick(['a', 'b'])}-`, SEQUENTIAL);
        break;
      case 8:
        this.setTwins(text);
        break;
      case 9:
        this.list(EPHEMERALS);
        break;
      case 10:
        this.ask(OpCode.sync, PathRequest.encode({ path: key }));
        this.get(key, false);
        break;
      case 11:
        this.deleteOne();
        break;
    }
  }

  /** Who joins may be a member already, and who leaves none. */
  private reconfigure(): void {
    const { random, joiners } = this;
    const someLine = () =>
      lineOf(random.pick(joiners), random.oneIn(4) ? 'observer' : 'participant');
    const kind = random.below(7);
    const isList = kind === 0;
    const list = joiners
      .filter(() => random.oneIn(2))
      .map((member) => lineOf(member, 'participant'));
    const body = ReconfigRequest.encode({
      joiningServers: isList || kind < 3 ? '' : someLine(),
      leavingServers: isList || kind > 4 ? '' : `${random.pick(joiners).sid}`,
      newMembers: isList ? list.join() : '',
      curConfigId: -1n,
    });
    this.ask(OpCode.reconfig, body);
  }

  /** The znodes that the others work on; each of them may be there already. */
  makeRoots(): void {
    for (const path of ROOTS) if (!this.made.has(path)) this.create(path, 0);
  }

  private ask(type: number, body: Buffer): void {
    this.client.ask({ type, body, answered: () => undefined });
  }

  private set(path: string, text: string, done?: (isWritten: boolean) => void): void {
    const body = SetDataRequest.encode({ path, data: Buffer.from(text), version: -1 });
    this.client.ask({
      type: OpCode.setData,
      body,
      answered: ({ err }) => done?.(err === ErrorCode.OK),
    });
  }

  private get(path: string, isWatched: boolean): void {
    this.client.ask({
      type: OpCode.getData,
      body: PathWatchRequest.encode({ path, watch: isWatched }),
      answered: ({ zxid, err, body }) => {
        if (err !== ErrorCode.OK) return;
        if (this.client.isReadOnly) {
          this.history.readOnlyReads++;
          return;
        }
        const { data, stat } = GetDataResponse.read(body);
        this.history.read(path, zxid, stat.mzxid, data?.toString('latin1') ?? '');
        if (isWatched) this.client.watch(path, false, zxid);
      },
    });
  }

  private list(path: string): void {
    this.client.ask({
      type: OpCode.getChildren,
      body: PathWatchRequest.encode({ path, watch: true }),
      answered: ({ zxid, err }) => {
        if (err === ErrorCode.OK && !this.client.isReadOnly) this.client.watch(path, true, zxid);
      },
    });
  }

  private create(path: string, flags: number): void {
    const body = CreateRequest.encode({
      path,
      data: flags === 0 ? Buffer.from('0') : null,
      acl: OPEN_ACL_UNSAFE,
      flags,
    });
    this.client.ask({
      type: OpCode.create,
      body,
      answered: ({ err, body: reply }) => {
        if (err === ErrorCode.OK || err === ErrorCode.NODEEXISTS) this.made.add(path);
        if (err !== ErrorCode.OK) return;
        const made = CreateResponse.read(reply).path;
        if (flags === SEQUENTIAL) this.history.madeSequential(made);
        if (flags === EPHEMERAL) this.own.push(made);
      },
    });
  }

  private deleteOne(): void {
    const path = this.own.shift();
    if (path === undefined) return;
    this.ask(OpCode.delete, DeleteRequest.encode({ path, version: -1 }));
  }

  private setTwins(text: string): void {
    const out = new OutputArchive();
    for (const path of TWINS) {
      MultiHeader.write(out, { type: OpCode.setData, done: false, err: -1 });
      SetDataRequest.write(out, { path, data: Buffer.from(text), version: -1 });
    }
    MultiHeader.write(out, { type: -1, done: true, err: -1 });
    this.ask(OpCode.multi, out.take());
  }
}
