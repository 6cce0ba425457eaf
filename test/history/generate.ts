/**
 * Generates valid histories: a naive service performs one operation after the other, at some moment
 * between its invocation and its completion, and its readers may lag. The judge must accept the
 * history of every seed.
 */
import type { Random } from '../support/random.js';
import type { Arguments, History, OpName, Part, Result } from './format.js';
import { newSession, type Request, type Session } from './naive-session.js';
import { change, firstEvent, type Node, newNode, statOf, type Version } from './naive-tree.js';
import { HistoryRecorder } from './recorder.js';

export interface GenerateOptions {
  readonly random: Random;
  readonly clients: number;
  readonly operations: number;
  /** One in this number of requests is lost, before or after it took effect. */
  readonly lossOneIn?: number;
  /** Requests of one session that are open at once. */
  readonly pipeline?: number;
  readonly keys?: number;
}

const ROOTS = ['/q', '/e'];

export function generate(options: GenerateOptions): History {
  return new Generator(options).run();
}

class Generator {
  private readonly options: GenerateOptions;
  private readonly recorder = new HistoryRecorder();
  private readonly random: Random;
  private readonly sessions: Session[];
  /** The tree after each txn; only recent trees, which lagging readers may still show. */
  private versions: Version[];
  private first = 0;
  private values = 0;
  private sequence = 0;
  private consumed = 0;
  private token = 0;
  private holder: string | undefined;
  private zxid = 0x100000000n;

  constructor(options: GenerateOptions) {
    this.options = options;
    this.random = options.random;
    this.sessions = Array.from({ length: options.clients }, (_, i) => newSession(`c${i}`));
    const tree = new Map<string, Node>();
    for (const path of ROOTS) tree.set(path, newNode('', ++this.zxid, undefined));
    this.versions = [{ tree, zxid: this.zxid }];
    this.recorder.initial(
      [...tree].map(([path, { data, version, czxid, mzxid }]) => {
        return { path, data, stat: { version, czxid, mzxid } };
      }),
    );
  }

  run(): History {
    const { random } = this;
    const { operations, pipeline = 3 } = this.options;
    let invoked = 0;
    while (invoked < operations) {
      const session = random.pick(this.sessions);
      const isFull = session.queue.length >= pipeline;
      if (!isFull && random.oneIn(2)) {
        this.invoke(session);
        invoked++;
      } else if (random.oneIn(2)) {
        this.perform(session);
      } else {
        this.answer(session);
      }
    }
    for (const session of this.sessions) this.finish(session);
    return this.recorder.history;
  }

  private finish(session: Session): void {
    for (let left = session.queue.length; left > 0; left = session.queue.length) {
      this.perform(session);
      this.answer(session);
    }
  }

  private invoke(session: Session, asked = this.choose(session)): void {
    const [name, args] = asked;
    const id = this.recorder.invoke(session.process, session.name, name, args);
    const { lossOneIn = 0 } = this.options;
    const isLost = lossOneIn > 0 && name !== 'closeSession' && this.random.oneIn(lossOneIn);
    session.queue.push({ name, args, id, isDone: false, isLost, version: 0, answer: undefined });
  }

  private choose(session: Session): [OpName, Arguments] {
    const { random } = this;
    const path = `/k${random.below(this.options.keys ?? 4)}`;
    const data = `v${++this.values}`;
    const version = random.oneIn(3) ? random.below(4) : -1;
    switch (random.below(15)) {
      case 0:
        return ['create', { path, data }];
      case 1:
        return ['delete', { path, version }];
      case 2:
      case 3:
        return ['setData', { path, data, version }];
      case 4:
        if (this.consumed < this.sequence && random.oneIn(2)) {
          return ['delete', { path: `/q/n-${`${this.consumed++}`.padStart(10, '0')}` }];
        }
        return ['create', { path: '/q/n-', data, sequential: true }];
      case 5:
        return ['create', { path: `/e/${session.name}`, data, ephemeral: true }];
      case 6:
        return ['multi', { ops: this.parts(data) }];
      case 7:
        return ['sync', { path: '/' }];
      case 8:
        return ['getChildren', { path: '/e', watch: random.oneIn(4) }];
      case 9:
        return ['exists', { path, watch: random.oneIn(2) }];
      case 10:
        return random.oneIn(4) ? ['closeSession', {}] : ['getData', { path }];
      case 11:
        return this.holder === session.name
          ? ['release', { lock: 'l', token: this.token }]
          : ['acquire', { lock: 'l' }];
      default:
        return ['getData', { path, watch: random.oneIn(3) }];
    }
  }

  private parts(data: string): Part[] {
    const { random } = this;
    const keys = this.options.keys ?? 4;
    const one = `/k${random.below(keys)}`;
    const other = `/k${random.below(keys)}`;
    const last: Part = random.oneIn(2)
      ? { op: 'delete', path: other }
      : { op: 'check', path: other };
    return [
      { op: 'setData', path: one, data },
      random.oneIn(2) ? last : { op: 'create', path: other, data },
    ];
  }

  /** Applies the oldest open request of a session. */
  private perform(session: Session): void {
    const request = session.queue.find(({ isDone }) => !isDone);
    const isOver = session.queue.some(({ name, isDone }) => isDone && name === 'closeSession');
    if (request === undefined || isOver) return;
    request.isDone = true;
    if (request.isLost && this.random.oneIn(2)) return;
    request.answer = this.decide(session, request);
    request.version = this.last;
    this.trim();
  }

  private decide(session: Session, { name, args }: Request): Request['answer'] {
    switch (name) {
      case 'getData':
      case 'exists':
      case 'getChildren':
      case 'sync':
        return { result: {}, zxid: 0n };
      case 'acquire':
        if (this.holder !== undefined) return { error: 'HELD', result: {}, zxid: 0n };
        this.holder = session.name;
        return { result: { token: ++this.token }, zxid: 0n };
      case 'release':
        if (this.holder === session.name && args.token === this.token) this.holder = undefined;
        return { result: {}, zxid: 0n };
      default:
        return this.write(session, name, args);
    }
  }

  private get last(): number {
    return this.first + this.versions.length - 1;
  }

  private at(version: number): Version {
    const found = this.versions[version - this.first];
    if (found === undefined) throw new Error(`no version ${version}`);
    return found;
  }

  private write(session: Session, name: OpName, args: Arguments): Request['answer'] {
    const tree = new Map(this.at(this.last).tree);
    const zxid = this.zxid + 1n;
    const by = { session: session.name, zxid, number: this.sequence };
    let result: Result = {};
    if (name === 'closeSession') {
      for (const [path, { owner }] of tree) if (owner === session.name) tree.delete(path);
      if (this.holder === session.name) this.holder = undefined;
    } else if (name === 'multi') {
      const results: Result[] = [];
      for (const part of args.ops ?? []) {
        const done = change(tree, part, by);
        if (typeof done === 'string') {
          return { error: done, result: { failed: results.length }, zxid: 0n };
        }
        results.push(done);
      }
      result = { results };
    } else {
      const done = change(tree, { op: name as Part['op'], ...args }, by);
      if (typeof done === 'string') return { error: done, result: {}, zxid: 0n };
      result = done;
    }
    this.zxid = zxid;
    if (args.sequential === true) this.sequence++;
    this.versions.push({ tree, zxid });
    return { result, zxid };
  }

  /** Drops trees that are older than the view of every reader. */
  private trim(): void {
    if (this.versions.length < 256) return;
    const least = Math.min(...this.sessions.map(({ seen }) => seen));
    this.versions = this.versions.slice(least - this.first);
    this.first = least;
  }

  /** Answers the oldest open request of a session, if it was applied. */
  private answer(session: Session): void {
    const [request] = session.queue;
    if (request === undefined || !request.isDone) return;
    session.queue.shift();
    const { recorder } = this;
    const { name, id, isLost } = request;
    if (isLost || request.answer === undefined) {
      recorder.unknown(id);
      return;
    }
    const { error, result, zxid } = request.answer;
    if (name === 'getData' || name === 'exists' || name === 'getChildren') {
      this.answerRead(session, request);
    } else if (error !== undefined) {
      recorder.fail(id, error, undefined, result);
    } else {
      // The reply to a write follows the events of all txns that its server applied before.
      if (zxid > 0n || name === 'sync') this.catchUp(session, request.version);
      recorder.ok(id, result, zxid === 0n ? undefined : zxid);
    }
    if (name === 'closeSession') this.renew(session);
  }

  private renew(session: Session): void {
    for (const { id } of session.queue.splice(0)) this.recorder.fail(id, 'SESSIONEXPIRED');
    session.watches.clear();
    session.lives++;
    session.name = `${session.process}.${session.lives}`;
  }

  private answerRead(session: Session, { name, args, id }: Request): void {
    const { recorder, random } = this;
    const { path = '/', watch } = args;
    // Later writes of the same session are applied later.
    const own = session.queue.find(({ isDone, answer }) => isDone && (answer?.zxid ?? 0n) > 0n);
    const most = own === undefined ? this.last : own.version - 1;
    session.seen += random.below(Math.max(0, most - session.seen) + 1);
    const { tree, zxid } = this.at(session.seen);
    this.tellEvents(session, zxid);
    const node = tree.get(path);
    const isArmed = watch === true && (node !== undefined || name === 'exists');
    const key = `${name === 'getChildren' ? 'child' : 'data'} ${path}`;
    if (isArmed && !session.watches.has(key)) session.watches.set(key, zxid);
    if (name === 'getChildren') {
      const children = [...tree.keys()].filter((other) => other.startsWith(`${path}/`));
      recorder.ok(id, { children: children.map((child) => child.slice(path.length + 1)) }, zxid);
    } else if (node === undefined) {
      if (name === 'exists') recorder.ok(id, { stat: null }, zxid);
      else recorder.fail(id, 'NONODE', zxid);
    } else {
      const data = name === 'getData' ? { data: node.data } : {};
      recorder.ok(id, { ...data, stat: statOf(node) }, zxid);
    }
  }

  private catchUp(session: Session, to: number): void {
    if (to <= session.seen) return;
    session.seen = to;
    const version = this.versions[to - this.first];
    if (version !== undefined) this.tellEvents(session, version.zxid);
  }

  /** Sends the events of changes up to `zxid`, before any newer reply. */
  private tellEvents(session: Session, zxid: bigint): void {
    for (const [key, armed] of [...session.watches]) {
      const [kind = '', path = ''] = key.split(' ');
      const type = firstEvent(this.versions, key, armed, zxid);
      if (type === undefined || !session.watches.delete(key)) continue;
      if (type === 'NodeDeleted')
        session.watches.delete(`${kind === 'data' ? 'child' : 'data'} ${path}`);
      this.recorder.event(session.process, session.name, type, path);
    }
  }
}
