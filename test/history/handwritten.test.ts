import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Arguments, HistoryEvent, OpName, Result } from './format.js';
import { judge } from './judge.js';
import { HistoryRecorder } from './recorder.js';

/** A session that waits for each reply; it has the same name as its process. */
class Client {
  private readonly recorder: HistoryRecorder;
  private readonly name: string;

  constructor(recorder: HistoryRecorder, name: string) {
    this.recorder = recorder;
    this.name = name;
  }

  ok(op: OpName, args: Arguments, result: Result = {}, zxid?: number): void {
    const id = this.recorder.invoke(this.name, this.name, op, args);
    this.recorder.ok(id, result, zxid === undefined ? undefined : BigInt(zxid));
  }

  /** Returns a function that records the reply. */
  asks(op: OpName, args: Arguments): (result: Result) => void {
    const id = this.recorder.invoke(this.name, this.name, op, args);
    return (result) => this.recorder.ok(id, result);
  }

  fails(op: OpName, args: Arguments, error: string): void {
    this.recorder.fail(this.recorder.invoke(this.name, this.name, op, args), error);
  }

  create(path: string, data: string, zxid: number, more: Arguments = {}): void {
    this.ok('create', { path, data, ...more }, { path }, zxid);
  }

  set(data: string, version: number, zxid: number, asked = -1): void {
    const stat = { version, mzxid: BigInt(zxid) };
    this.ok('setData', { path: '/a', data, version: asked }, { stat }, zxid);
  }

  /** A write without a reply. */
  loses(data: string): void {
    const asked = { path: '/a', data, version: -1 };
    this.recorder.unknown(this.recorder.invoke(this.name, this.name, 'setData', asked));
  }

  getAt(data: string, version: number, zxid: number): void {
    const stat = { version, mzxid: BigInt(zxid) };
    this.ok('getData', { path: '/a' }, { data, stat }, zxid);
  }

  get(data: string, zxid: number, watch = false): void {
    this.ok('getData', { path: '/a', watch }, { data, stat: {} }, zxid);
  }

  sync(): void {
    this.ok('sync', { path: '/a' });
  }

  event(zxid: number): void {
    this.recorder.event(this.name, this.name, 'NodeDataChanged', '/a', BigInt(zxid));
  }
}

type Story = (one: Client, two: Client) => void;

/** Each history starts after a create of `/a` with the data `0`, at zxid 1. */
interface Promised {
  readonly name: string;
  /** The judge's name of the broken property. */
  readonly property: RegExp;
  readonly kept: Story;
  readonly broken: Story;
}

const PROMISES: readonly Promised[] = [
  {
    name: 'an acknowledged write is not lost',
    property: /linearizability|read/,
    kept: (one, two) => {
      one.set('1', 1, 2);
      two.sync();
      two.get('1', 2);
    },
    broken: (one, two) => {
      one.set('1', 1, 2);
      two.set('2', 1, 3);
    },
  },
  {
    name: 'a read after a sync is not stale, and another may be',
    property: /linearizability|read/,
    kept: (one, two) => {
      one.set('1', 1, 2);
      two.get('0', 1);
    },
    broken: (one, two) => {
      one.set('1', 1, 2);
      two.sync();
      two.get('0', 1);
    },
  },
  {
    name: 'a read shows a written value',
    property: /read|linearizability/,
    kept: (_one, two) => two.get('0', 1),
    broken: (_one, two) => two.get('never', 1),
  },
  {
    name: 'a version counts the writes whose answers were lost',
    property: /read|linearizability/,
    kept: (one, two) => {
      one.loses('1');
      one.loses('2');
      two.getAt('2', 2, 3);
      two.getAt('2', 2, 3);
    },
    broken: (one, two) => {
      one.loses('1');
      one.loses('2');
      two.getAt('2', 3, 4);
    },
  },
  {
    name: 'of two writes for one version one is done',
    property: /linearizability/,
    kept: (one, two) => {
      one.set('1', 1, 2, 0);
      two.fails('setData', { path: '/a', data: '2', version: 0 }, 'BADVERSION');
    },
    broken: (one, two) => {
      one.set('1', 1, 2, 0);
      two.set('2', 2, 3, 0);
    },
  },
  {
    name: 'a session sees its own writes',
    property: /session-order|read|linearizability/,
    kept: (one) => {
      one.set('1', 1, 2);
      one.get('1', 2);
    },
    broken: (one) => {
      one.set('1', 1, 2);
      one.get('0', 1);
    },
  },
  {
    name: 'a watch tells of a change before a newer answer',
    property: /watch/,
    kept: (one, two) => {
      two.get('0', 1, true);
      one.set('1', 1, 2);
      two.event(2);
      two.get('1', 2);
    },
    broken: (one, two) => {
      two.get('0', 1, true);
      one.set('1', 1, 2);
      two.get('1', 2);
    },
  },
  {
    name: 'a watch tells once',
    property: /watch/,
    kept: (one, two) => {
      two.get('0', 1, true);
      one.set('1', 1, 2);
      two.event(2);
    },
    broken: (one, two) => {
      two.get('0', 1, true);
      one.set('1', 1, 2);
      two.event(2);
      one.set('2', 2, 3);
      two.event(3);
    },
  },
  {
    name: 'ephemerals go with their session',
    property: /linearizability|read/,
    kept: (one, two) => {
      one.create('/e', 'e', 2, { ephemeral: true });
      one.ok('closeSession', {}, {}, 3);
      two.sync();
      two.fails('getData', { path: '/e' }, 'NONODE');
    },
    broken: (one, two) => {
      one.create('/e', 'e', 2, { ephemeral: true });
      one.ok('closeSession', {}, {}, 3);
      two.sync();
      two.ok('getData', { path: '/e' }, { data: 'e', stat: {} }, 3);
    },
  },
  {
    name: 'a sequence number is given once',
    property: /sequence/,
    kept: (one, two) => {
      one.ok('create', numbered(), { path: '/s-0000000001' }, 2);
      two.ok('create', numbered(), { path: '/s-0000000002' }, 3);
    },
    broken: (one, two) => {
      one.ok('create', numbered(), { path: '/s-0000000001' }, 2);
      one.ok('delete', { path: '/s-0000000001' }, {}, 3);
      two.ok('create', numbered(), { path: '/s-0000000001' }, 4);
    },
  },
  {
    name: 'a lock has one holder',
    property: /lock/,
    kept: (one, two) => {
      one.ok('acquire', { lock: 'l' }, { token: 2 });
      one.ok('release', { lock: 'l', token: 2 });
      two.ok('acquire', { lock: 'l' }, { token: 3 });
    },
    broken: (one, two) => {
      one.ok('acquire', { lock: 'l' }, { token: 2 });
      two.ok('acquire', { lock: 'l' }, { token: 3 });
    },
  },
  {
    name: 'who is let in later has a higher token, even where it asked first',
    property: /lock/,
    kept: (one, two) => letInAfter(one, two, 3),
    broken: (one, two) => letInAfter(one, two, 1),
  },
  {
    name: 'a multi is done as a whole',
    property: /linearizability/,
    kept: (one, two) => {
      one.ok('multi', pair(), { results: [{}, {}] }, 2);
      two.fails('create', { path: '/b', data: '' }, 'NODEEXISTS');
      two.set('2', 2, 3);
    },
    broken: (one, two) => {
      one.ok('multi', pair(), { results: [{}, {}] }, 2);
      two.set('2', 1, 3);
    },
  },
  {
    name: 'a multi is refused as a whole',
    property: /linearizability/,
    kept: (one, two) => {
      one.fails('multi', pair(7), 'BADVERSION');
      two.create('/b', '', 2);
    },
    broken: (one, two) => {
      one.fails('multi', pair(7), 'BADVERSION');
      two.fails('create', { path: '/b', data: '' }, 'NODEEXISTS');
    },
  },
];

function numbered(): Arguments {
  return { path: '/s-', data: '', sequential: true };
}

function pair(version = -1): Arguments {
  const create = { op: 'create' as const, path: '/b', data: '1' };
  return { ops: [create, { op: 'setData', path: '/a', data: '1', version }] };
}

function letInAfter(one: Client, two: Client, token: number): void {
  const letIn = two.asks('acquire', { lock: 'l' });
  one.ok('acquire', { lock: 'l' }, { token: 2 });
  one.ok('release', { lock: 'l', token: 2 });
  letIn({ token });
}

function historyOf(story: Story): readonly HistoryEvent[] {
  const recorder = new HistoryRecorder();
  recorder.initial([{ path: '/', data: '' }]);
  const [one, two] = [new Client(recorder, 'one'), new Client(recorder, 'two')];
  one.create('/a', '0', 1);
  story(one, two);
  return recorder.history;
}

for (const { name, property, kept, broken } of PROMISES) {
  test(`kept: ${name}`, () => {
    assert.equal(judge(historyOf(kept)), []);
  });

  test(`broken: ${name}`, () => {
    const verdicts = judge(historyOf(broken));
    assert.match(verdicts.map((verdict) => verdict.property).join(), property);
  });
}

test.run();
