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
interface Property {
  readonly name: string;
  /** The property that the judge must report. */
  readonly property: RegExp;
  readonly allowed: Story;
  readonly violated: Story;
}

const PROPERTIES: readonly Property[] = [
  {
    name: 'an acknowledged write is not lost',
    property: /linearizability|read/,
    allowed: (one, two) => {
      one.set('1', 1, 2);
      two.sync();
      two.get('1', 2);
    },
    violated: (one, two) => {
      one.set('1', 1, 2);
      two.set('2', 1, 3);
    },
  },
  {
    name: 'a read after a sync is not stale, and another may be',
    property: /linearizability|read/,
    allowed: (one, two) => {
      one.set('1', 1, 2);
      two.get('0', 1);
    },
    violated: (one, two) => {
      one.set('1', 1, 2);
      two.sync();
      two.get('0', 1);
    },
  },
  {
    name: 'a read shows a written value',
    property: /read|linearizability/,
    allowed: (_one, two) => two.get('0', 1),
    violated: (_one, two) => two.get('never', 1),
  },
  {
    name: 'a version counts writes with lost answers, too',
    property: /read|linearizability/,
    allowed: (one, two) => {
      one.loses('1');
      one.loses('2');
      two.getAt('2', 2, 3);
      two.getAt('2', 2, 3);
    },
    violated: (one, two) => {
      one.loses('1');
      one.loses('2');
      two.getAt('2', 3, 4);
    },
  },
  {
    name: 'of two writes that expect one version, one succeeds',
    property: /linearizability/,
    allowed: (one, two) => {
      one.set('1', 1, 2, 0);
      two.fails('setData', { path: '/a', data: '2', version: 0 }, 'BADVERSION');
    },
    violated: (one, two) => {
      one.set('1', 1, 2, 0);
      two.set('2', 2, 3, 0);
    },
  },
  {
    name: 'a session sees its own writes',
    property: /session-order|read|linearizability/,
    allowed: (one) => {
      one.set('1', 1, 2);
      one.get('1', 2);
    },
    violated: (one) => {
      one.set('1', 1, 2);
      one.get('0', 1);
    },
  },
  {
    name: 'a watch reports a change before a newer answer',
    property: /watch/,
    allowed: (one, two) => {
      two.get('0', 1, true);
      one.set('1', 1, 2);
      two.event(2);
      two.get('1', 2);
    },
    violated: (one, two) => {
      two.get('0', 1, true);
      one.set('1', 1, 2);
      two.get('1', 2);
    },
  },
  {
    name: 'a watch fires once',
    property: /watch/,
    allowed: (one, two) => {
      two.get('0', 1, true);
      one.set('1', 1, 2);
      two.event(2);
    },
    violated: (one, two) => {
      two.get('0', 1, true);
      one.set('1', 1, 2);
      two.event(2);
      one.set('2', 2, 3);
      two.event(3);
    },
  },
  {
    name: 'the end of a session deletes its ephemerals',
    property: /linearizability|read/,
    allowed: (one, two) => {
      one.create('/e', 'e', 2, { ephemeral: true });
      one.ok('closeSession', {}, {}, 3);
      two.sync();
      two.fails('getData', { path: '/e' }, 'NONODE');
    },
    violated: (one, two) => {
      one.create('/e', 'e', 2, { ephemeral: true });
      one.ok('closeSession', {}, {}, 3);
      two.sync();
      two.ok('getData', { path: '/e' }, { data: 'e', stat: {} }, 3);
    },
  },
  {
    name: 'a sequence number is used once',
    property: /sequence/,
    allowed: (one, two) => {
      one.ok('create', numbered(), { path: '/s-0000000001' }, 2);
      two.ok('create', numbered(), { path: '/s-0000000002' }, 3);
    },
    violated: (one, two) => {
      one.ok('create', numbered(), { path: '/s-0000000001' }, 2);
      one.ok('delete', { path: '/s-0000000001' }, {}, 3);
      two.ok('create', numbered(), { path: '/s-0000000001' }, 4);
    },
  },
  {
    name: 'a lock has one holder',
    property: /lock/,
    allowed: (one, two) => {
      one.ok('acquire', { lock: 'l' }, { token: 2 });
      one.ok('release', { lock: 'l', token: 2 });
      two.ok('acquire', { lock: 'l' }, { token: 3 });
    },
    violated: (one, two) => {
      one.ok('acquire', { lock: 'l' }, { token: 2 });
      two.ok('acquire', { lock: 'l' }, { token: 3 });
    },
  },
  {
    name: 'a later holder has a greater token, even if it asked first',
    property: /lock/,
    allowed: (one, two) => grantAfter(one, two, 3),
    violated: (one, two) => grantAfter(one, two, 1),
  },
  {
    name: 'a multi is applied completely',
    property: /linearizability/,
    allowed: (one, two) => {
      one.ok('multi', pair(), { results: [{}, {}] }, 2);
      two.fails('create', { path: '/b', data: '' }, 'NODEEXISTS');
      two.set('2', 2, 3);
    },
    violated: (one, two) => {
      one.ok('multi', pair(), { results: [{}, {}] }, 2);
      two.set('2', 1, 3);
    },
  },
  {
    name: 'a refused multi has no effect',
    property: /linearizability/,
    allowed: (one, two) => {
      one.fails('multi', pair(7), 'BADVERSION');
      two.create('/b', '', 2);
    },
    violated: (one, two) => {
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

function grantAfter(one: Client, two: Client, token: number): void {
  const grant = two.asks('acquire', { lock: 'l' });
  one.ok('acquire', { lock: 'l' }, { token: 2 });
  one.ok('release', { lock: 'l', token: 2 });
  grant({ token });
}

function historyOf(story: Story): readonly HistoryEvent[] {
  const recorder = new HistoryRecorder();
  recorder.initial([{ path: '/', data: '' }]);
  const [one, two] = [new Client(recorder, 'one'), new Client(recorder, 'two')];
  one.create('/a', '0', 1);
  story(one, two);
  return recorder.history;
}

for (const { name, property, allowed, violated } of PROPERTIES) {
  test(`allowed: ${name}`, () => {
    assert.equal(judge(historyOf(allowed)), []);
  });

  test(`violated: ${name}`, () => {
    const verdicts = judge(historyOf(violated));
    assert.match(verdicts.map((verdict) => verdict.property).join(), property);
  });
}

test.run();
