import { ErrorCode } from '../../../src/protocol/error-code.js';
import { KeeperOpCode } from '../../../src/protocol/keeper-dialect.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../../../src/protocol/perms.js';
import type { QuorumServerConfig } from '../../../src/server/config/config-ensemble.js';
import { CreateResponse } from '../../support/bytes/jute-records.js';
import type { Random } from '../../support/random.js';
import { SEQUENCE } from '../aged-data.js';
import { TWINS } from '../checks.js';
import type { History } from '../history.js';
import type { Scheduler } from '../scheduler.js';
import type { ClientNode } from './client-node.js';
import type { Answer } from './client-world.js';
import { GuardedWork } from './guarded-work.js';
import { Reads } from './reads.js';
import * as requests from './requests.js';
import { type Body, Flags } from './requests.js';
import { someReconfig } from './some-reconfig.js';
import { GUARDED } from './watches.js';

const KEYS = ['/key-0', '/key-1', '/key-2', '/key-3'];
const EPHEMERALS = '/ephemeral';
/** Few names, which are created, deleted, and re-created all the time. */
const FIELD = '/field';
const NAMES = ['/field/a', '/field/b', '/field/c', '/field/a/x', '/field/a/y', '/field/b/x'];
/** Its value may be large. */
const BIG = '/big';
const QUOTA = '/zookeeper/quota/field';
const ROOTS = [...KEYS, ...TWINS, EPHEMERALS, SEQUENCE, FIELD, BIG, GUARDED, QUOTA];
const MAX_IN_FLIGHT = 12;
const HASTE_MS = 200;
const NO_ANSWER = (): void => undefined;

type Answered = (answer: Answer) => void;

export interface WorkloadParts {
  readonly history: History;
  readonly scheduler: Scheduler;
  readonly random: Random;
  /** All servers if the membership may change, or empty. */
  readonly joiners: readonly QuorumServerConfig[];
  /** The size of large values. */
  readonly valueBytes: number;
  /** Whether it also sends operations of ClickHouse Keeper. */
  readonly isOfKeeper: boolean;
  /** A client whose session this one may take over. */
  readonly other: () => ClientNode | undefined;
}

/** The load of one client: every operation, in pipelines, on names that are reused at once. */
export class Workload {
  private readonly client: ClientNode;
  private readonly history: History;
  private readonly scheduler: Scheduler;
  private readonly random: Random;
  private readonly parts: WorkloadParts;
  private readonly reads: Reads;
  private readonly guarded: GuardedWork;
  private count = 0;
  private readonly made = new Set<string>();
  /** Sends no more requests. */
  isOver = false;
  private quietUntilMs = 0;

  /** The actions of a client with their weights. */
  private readonly acts: readonly (readonly [weight: number, act: () => void])[] = [
    [8, () => this.ask(requests.setData(this.key, this.text()))],
    [6, () => this.reads.read(this.key, false)],
    [4, () => this.reads.read(this.random.pick([...KEYS, ...TWINS]), true)],
    [6, () => this.ask(this.someChange())],
    [6, () => this.reads.read(this.name, this.random.oneIn(2))],
    [4, () => this.reads.exists(this.name, this.random.oneIn(2))],
    [4, () => this.reads.list(this.random.pick([FIELD, EPHEMERALS, '/field/a']))],
    [3, () => this.sequential()],
    [3, () => this.ask(requests.create(`${EPHEMERALS}/${this.text()}`, Flags.ephemeral, null))],
    [3, () => this.setTwins()],
    [4, () => this.ask(this.someMulti())],
    [2, () => this.reads.multiRead(this.name, FIELD)],
    [5, () => this.reads.syncAndRead(this.key)],
    [4, () => this.flicker()],
    [2, () => this.watch()],
    [14, () => this.guarded.act()],
    [2, () => this.limit()],
    [2, () => this.reads.ephemerals()],
    [1, () => this.reads.count(FIELD)],
    [2, () => this.enlarge()],
    [1, () => this.pipeline()],
    [2, () => this.client.leave()],
    [2, () => this.hop()],
    [1, () => this.client.closeSession()],
    [1, () => this.moveSession()],
    [0.5, () => this.client.forget()],
  ];

  constructor(client: ClientNode, parts: WorkloadParts) {
    this.client = client;
    this.history = parts.history;
    this.scheduler = parts.scheduler;
    this.random = parts.random;
    this.parts = parts;
    this.reads = new Reads(client, parts.history);
    this.guarded = new GuardedWork(client, this.reads, parts.random);
  }

  start(): void {
    this.scheduler.later(1 + this.random.below(120), () => {
      if (this.isOver) return;
      const isBusy = this.client.sent.length >= MAX_IN_FLIGHT;
      const isQuiet = this.scheduler.nowMs < this.quietUntilMs;
      if (this.client.isOpen && !isBusy && !isQuiet) this.act();
      this.start();
    });
  }

  /** Sends nothing for a while by itself. A write that waits would hold back all later answers. */
  hush(ms: number): void {
    this.quietUntilMs = this.scheduler.nowMs + ms;
  }

  /** For a while it asks whether its server is up to date, or writes more than usual. */
  haste(isAsking: boolean, times = 40): void {
    if (this.isOver || times === 0) return;
    if (isAsking) this.hush(HASTE_MS);
    this.scheduler.later(10 + this.random.below(70), () => {
      const isReady = this.client.isOpen && this.client.sent.length < MAX_IN_FLIGHT;
      if (isReady && isAsking) this.reads.syncAndRead(this.key);
      else if (isReady) this.ask(requests.setData(this.key, this.text()));
      this.haste(isAsking, times - 1);
    });
  }

  /** One write without other conditions, and a long read behind a sync. */
  probe(done: (isDone: boolean) => void): void {
    let isWritten = false;
    this.ask(requests.setData(KEYS[0] as string, this.text()), ({ err }) => {
      isWritten = err === ErrorCode.OK;
    });
    this.reads.sync(KEYS[0] as string);
    this.ask(requests.ofPath(OpCode.getAllChildrenNumber, FIELD), () => done(isWritten));
  }

  /** The shared znodes. Each of them may exist already. */
  makeRoots(): void {
    for (const path of ROOTS) {
      if (this.made.has(path)) continue;
      this.ask(requests.create(path, Flags.persistent, '0'), ({ err }) => {
        if (err === ErrorCode.OK || err === ErrorCode.NODEEXISTS) this.made.add(path);
      });
    }
  }

  private act(): void {
    const { random, parts } = this;
    if (this.client.isShared && random.oneIn(3)) {
      this.pipeline();
      return;
    }
    if (parts.joiners.length > 0 && random.oneIn(14)) {
      if (random.oneIn(3)) this.reads.read('/zookeeper/config', true);
      else this.ask(someReconfig(parts.joiners, random));
      return;
    }
    if (parts.isOfKeeper && random.oneIn(5)) {
      this.ask(random.oneIn(3) ? this.someKeeperMulti() : this.someKeeperChange());
      return;
    }
    const sum = this.acts.reduce((total, [weight]) => total + weight, 0);
    let left = random.below(sum * 10) / 10;
    for (const [weight, act] of this.acts) {
      left -= weight;
      if (left < 0) {
        act();
        return;
      }
    }
  }

  private get key(): string {
    return this.random.pick(KEYS);
  }

  private get name(): string {
    return this.random.pick(NAMES);
  }

  private text(): string {
    return `${this.client.id}-${++this.count}`;
  }

  private ask({ type, body }: Body, answered: Answered = NO_ANSWER): void {
    this.client.ask({ type, body, answered });
  }

  // ── writes ───────────────────────────────────────────────────────────────────────────────────

  /** A change of a name that others change too: it may succeed or fail. */
  private someChange(): Body {
    const { random, name } = this;
    const version = random.oneIn(3) ? random.below(3) : -1;
    switch (random.below(11)) {
      case 0:
      case 1:
        return requests.create(name, Flags.persistent, this.text());
      case 2:
        return requests.create(name, Flags.ephemeral, null, OpCode.create2);
      case 3:
        return requests.create(name, Flags.container, this.text(), OpCode.createContainer);
      case 4:
        return requests.createTTL(name, this.text(), BigInt(1 + random.below(2000)));
      case 5:
      case 6:
      case 7:
        return requests.remove(name, version);
      case 8:
        return requests.setACL(name, OPEN_ACL_UNSAFE, version);
      default:
        return requests.setData(name, this.text(), version);
    }
  }

  /** A multi with parts that may fail, often two for one name. */
  private someMulti(): Body {
    const { random } = this;
    const parts = Array.from({ length: 1 + random.below(5) }, () =>
      random.oneIn(4) ? requests.check(this.name, random.below(2) - 1) : this.someChange(),
    );
    return requests.multi(parts);
  }

  private someKeeperChange(): Body {
    const { random, name } = this;
    switch (random.below(4)) {
      case 0:
        return requests.removeRecursive(name, random.pick([0, 1, 1000, 1000]));
      case 1:
        return requests.remove(name, random.below(3) - 1, KeeperOpCode.tryRemove);
      default: {
        const flags = random.oneIn(2) ? Flags.ephemeral : Flags.persistent;
        return requests.create(name, flags, this.text(), KeeperOpCode.createIfNotExists);
      }
    }
  }

  private someKeeperMulti(): Body {
    const { random } = this;
    const parts = Array.from({ length: 1 + random.below(4) }, () => {
      if (random.oneIn(4)) return requests.check(this.name, -1, KeeperOpCode.checkNotExists);
      return random.oneIn(2) ? this.someKeeperChange() : this.someChange();
    });
    return requests.multi(parts);
  }

  private setTwins(): void {
    const text = this.text();
    this.ask(requests.multi(TWINS.map((path) => requests.setData(path, text))));
  }

  private sequential(): void {
    const { random } = this;
    const flags = random.pick([Flags.sequential, Flags.ephemeralSequential]);
    const path = `${SEQUENCE}/${random.pick(['a', 'b'])}-`;
    for (let left = 1 + random.below(3); left > 0; left--) {
      this.ask(requests.create(path, flags, null), ({ err, body }) => {
        if (err !== ErrorCode.OK || this.client.isShared) return;
        this.history.madeSequential(CreateResponse.read(body).path);
      });
    }
  }

  /** Creates and deletes one ephemeral in one pipeline, and may end the session too. */
  private flicker(): void {
    const { random } = this;
    const name = `${EPHEMERALS}/${random.below(2)}`;
    for (let left = 1 + random.below(4); left > 0; left--) {
      this.ask(requests.create(name, Flags.ephemeral, null));
      if (left > 1 || random.oneIn(3)) this.ask(requests.remove(name));
    }
    if (random.oneIn(2)) this.client.closeSession();
  }

  private hop(): void {
    for (let left = 1 + this.random.below(4); left > 0; left--) this.ask(this.someChange());
    this.client.hop();
  }

  /** Hundreds of requests at once. */
  private pipeline(): void {
    const { random } = this;
    for (let left = 20 + random.below(280); left > 0; left--) {
      if (random.oneIn(3)) this.reads.read(this.name, false);
      else this.ask(random.oneIn(6) ? this.someMulti() : this.someChange());
    }
    if (random.oneIn(6)) this.client.closeSession();
  }

  /** Sets a quota, or lifts it. */
  private limit(): void {
    const { random } = this;
    const limits = `${QUOTA}/zookeeper_limits`;
    // A limit that is removed leaves a count that only a restart corrects, as on Apache's servers.
    if (random.oneIn(3)) {
      this.ask(requests.setData(limits, 'count=-1,bytes=-1'));
      return;
    }
    const bytes = random.oneIn(2) ? -1 : 5 + random.below(40);
    const text = `count=${2 + random.below(8)},bytes=-1=;byteHardLimit=${bytes};countHardLimit=${2 + random.below(8)}`;
    this.ask(requests.create(limits, Flags.persistent, text));
    this.ask(requests.create(`${QUOTA}/zookeeper_stats`, Flags.persistent, 'count=0,bytes=0'));
    this.ask(requests.setData(limits, text));
  }

  private enlarge(): void {
    const { random, parts } = this;
    if (random.oneIn(3)) {
      this.reads.read(BIG, false);
      return;
    }
    const length = 1 + random.below(Math.max(1, parts.valueBytes));
    this.ask(requests.setData(BIG, this.text().padEnd(length, '.')));
  }

  private watch(): void {
    const path = this.random.pick([FIELD, '/field/a', '/field/b', GUARDED, `${GUARDED}/a`]);
    this.reads.watch(path, path === FIELD || path === GUARDED, this.random.oneIn(3));
  }

  private moveSession(): void {
    const other = this.parts.other();
    if (other !== undefined && other !== this.client) this.client.takeOver(other);
  }
}
