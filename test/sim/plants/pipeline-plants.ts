import { ErrorCode } from '../../../src/protocol/error-code.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { Database } from '../../../src/server/persistence/replay.js';
import { Leader } from '../../../src/server/quorum/leading/leader.js';
import { Learner } from '../../../src/server/quorum/learning/learner.js';
import type { Session } from '../../../src/server/session/session-tracker.js';
import type { Request } from '../../../src/server/state/request.js';
import type { ServerNode } from '../nodes/server-node.js';
import type { PlantedFault } from './plant.js';
import { eachState } from './session-plants.js';

type Call = (...given: never[]) => unknown;

/** Replaces a method, also a private one. The change gets the old one. */
function change<T extends Call>(owner: object, name: string, changed: (before: T) => T): void {
  const before = Reflect.get(owner, name) as T;
  Reflect.set(owner, name, changed(before.bind(owner) as T));
}

function partOf(owner: object, name: string): object {
  return Reflect.get(owner, name) as object;
}

/** Runs once for the pipeline of each leader. */
function eachPrimary(alter: (primary: object, node: ServerNode) => void) {
  const altered = new WeakSet<object>();
  return (node: ServerNode): void => {
    const broadcast = node.peer?.role instanceof Leader ? node.peer.role.broadcast : null;
    if (broadcast === null) return;
    const primary = partOf(broadcast, 'primary');
    if (altered.has(primary)) return;
    altered.add(primary);
    alter(primary, node);
  };
}

/** The parts of a server that serve its clients. */
function readsOf({ peer }: ServerNode): object {
  return partOf(peer?.server ?? {}, 'reads');
}

/** True for every call whose number is a multiple of `count`. */
function oneIn(count: number): () => boolean {
  let calls = 0;
  return () => ++calls % count === 0;
}

/** Forgets to put the change of a parent into the records of a txn. */
const forgetRecords = eachState(({ peer }) => {
  if (peer === null) return;
  change<(records: readonly object[]) => void>(
    peer.server.state.prep,
    'addRecords',
    (before) => (records) => before(records.slice(-1)),
  );
});

const forgetUsage = eachState(({ peer }) => {
  if (peer !== null) peer.server.state.prep.outstanding.usage.add = () => undefined;
});

/** Gives two requests one zxid. */
const repeatZxids = eachPrimary((primary) => {
  const isChosen = oneIn(20);
  change<(request: never) => { readonly zxid: bigint }>(primary, 'nextHead', (before) => {
    return (request) => {
      const head = before(request);
      return isChosen() ? { ...head, zxid: head.zxid - 1n } : head;
    };
  });
});

/** Forgets a proposal, so that the next one would be committed in its place. */
const loseProposals = eachPrimary((primary) => {
  const isChosen = oneIn(20);
  change<(request: never) => void>(partOf(primary, 'proposals'), 'push', (before) => (request) => {
    if (!isChosen()) before(request);
  });
});

const proposeTwice = eachPrimary((primary) => {
  const isChosen = oneIn(20);
  const error = { txn: { type: OpCode.error, err: ErrorCode.NONODE }, records: [], digest: null };
  change<(...given: unknown[]) => void>(
    primary,
    'propose',
    (before) => (request, prepared, head) => {
      before(request, prepared, head);
      if (isChosen()) before(request, error);
    },
  );
});

/** The tree says that it has one more txn than was applied. */
const runAhead = eachState(({ peer }) => {
  if (peer === null) return;
  const { tree } = peer.data;
  const { finish } = tree;
  tree.finish = (head) => {
    finish.call(tree, head);
    tree.lastProcessedZxid++;
  };
});

/** Takes the writes of a leader's clients for reads. */
const answerWrites = eachPrimary((_, node) => {
  change<(request: Request) => void>(readsOf(node), 'keep', (before) => (request) => {
    before(request);
    request.body ??= Buffer.alloc(0);
  });
});

/** Changes the size of a request in a queue. */
const growRequests = eachState((node) => {
  change<(request: Request) => void>(readsOf(node), 'keep', (before) => (request) => {
    before(request);
    request.size++;
  });
});

/** Loses the end of the last batch. */
const loseBatches = eachPrimary((primary) => {
  const batch = partOf(primary, 'batch');
  change<() => unknown>(batch, 'take', (before) => () => {
    const append = before();
    const from = Reflect.get(batch, 'from') as number;
    if (append !== undefined) Reflect.set(batch, 'from', from + 1);
    return append;
  });
});

const forgetWatchesTwice = eachState(({ peer }) => {
  if (peer === null) return;
  const { dataWatches } = peer.server.state;
  change<(...given: never[]) => void>(dataWatches, 'forgetUnwatched', (before) => (...given) => {
    before(...given);
    before(...given);
  });
});

/** Moves a session to another bucket, but only says so. */
const misplaceSessions = eachState(({ peer }) => {
  if (peer === null) return;
  const expiry = partOf(peer.server.state.sessions, 'expiry');
  change<(...given: [Session, number, number]) => void>(expiry, 'touch', (before) => (...given) => {
    before(...given);
    given[0].bucketMs++;
  });
});

/** A learner reports a session to its leader twice. */
const reportTwice = eachState(({ peer }) => {
  if (!(peer?.role instanceof Learner)) return;
  const { sessions } = peer.server.state;
  const { touch } = sessions;
  sessions.touch = (session, nowMs) => {
    touch.call(sessions, session, nowMs);
    (Reflect.get(sessions, 'touched') as Session[] | null)?.push(session);
  };
});

const inventDigests = eachPrimary((_, { peer }) => {
  if (peer !== null) Reflect.set(peer.data.tree, 'isDigestEnabled', false);
});

/** Finds each due container thousands of times. */
const repeatContainers = eachPrimary((primary) => {
  const containers = partOf(primary, 'containers');
  change<(wallMs: number) => void>(containers, 'findDue', (before) => (wallMs) => {
    before(wallMs);
    const found = Reflect.get(containers, 'found') as string[];
    const [first] = found;
    if (first !== undefined) found.push(...new Array<string>(3000).fill(first));
  });
});

/** Changes a method of all databases until its first call. */
function onceOfDatabase(name: 'replay' | 'finishSnapshot', times: number): () => void {
  let isSet = false;
  return () => {
    if (isSet) return;
    isSet = true;
    const before = Database.prototype[name] as (this: Database, ...given: unknown[]) => void;
    Database.prototype[name] = function repeated(this: Database, ...given: unknown[]) {
      Database.prototype[name] = before;
      isSet = false;
      for (let i = 0; i < times; i++) before.call(this, ...given);
    };
  };
}

/** Faults inside the product that an assertion must stop at once. Each class of them has one. */
export const PIPELINE_FAULTS: readonly PlantedFault[] = [
  {
    name: 'forget a pending change (assertions: pending changes)',
    caught: /pending changes: outside the records of a txn/,
    seeds: 5,
    onTurn: forgetRecords,
  },
  {
    name: 'count no usage of a quota (assertions: quota usage)',
    caught: /quota usage: a change is taken back that was never added/,
    seeds: 20,
    onTurn: forgetUsage,
  },
  {
    name: 'give two txns one zxid (assertions: zxid order)',
    caught: /zxid order: logged/,
    seeds: 5,
    onTurn: repeatZxids,
  },
  {
    name: 'lose a proposal (assertions: zxid order)',
    caught: /zxid order: committed, applied/,
    seeds: 5,
    onTurn: loseProposals,
  },
  {
    name: 'name a txn that was not applied (assertions: zxid order)',
    caught: /zxid order: (applied, shown|committed, applied)/,
    seeds: 5,
    onTurn: runAhead,
  },
  {
    name: 'decide a request twice (assertions: one txn)',
    caught: /one txn: a request gets another/,
    seeds: 5,
    onTurn: proposeTwice,
  },
  {
    name: 'answer a write as a read (assertions: reply order)',
    caught: /reply order: a write is answered as a read/,
    seeds: 10,
    onTurn: answerWrites,
  },
  {
    name: 'change the size of a queued request (assertions: back-pressure)',
    caught: /back-pressure: more bytes left a queue than came/,
    seeds: 5,
    onTurn: growRequests,
  },
  {
    name: 'lose the end of a batch (assertions: log batch)',
    caught: /log batch: (records of an earlier turn are gone|an append without a record)/,
    seeds: 5,
    onTurn: loseBatches,
  },
  {
    name: 'count a watch out twice (assertions: watch counts)',
    caught: /watch counts: a watch that its watcher lacks/,
    seeds: 5,
    onTurn: forgetWatchesTwice,
  },
  {
    name: 'put a session into the wrong bucket (assertions: session buckets)',
    caught: /session buckets: a session is not in its bucket/,
    seeds: 5,
    onTurn: misplaceSessions,
  },
  {
    name: 'report a session twice (assertions: sessions)',
    caught: /sessions: reported twice/,
    seeds: 10,
    onTurn: reportTwice,
  },
  {
    name: 'give a digest to a tree without one (assertions: digest)',
    caught: /digest: of a tree without one/,
    seeds: 10,
    onTurn: inventDigests,
  },
  {
    name: 'find more containers than exist (assertions: containers)',
    caught: /containers: more found than scanned/,
    seeds: 20,
    onTurn: repeatContainers,
  },
  {
    name: 'replay a txn twice (assertions: zxid order)',
    caught: /zxid order: replayed/,
    seeds: 20,
    onRestart: onceOfDatabase('replay', 2),
  },
  {
    name: 'load a snapshot twice (assertions: replay)',
    caught: /replay: a second snapshot/,
    seeds: 20,
    onRestart: onceOfDatabase('finishSnapshot', 2),
  },
];
