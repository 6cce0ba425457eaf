import { lowOf } from '../../../src/jute/long.js';
import type { Disk } from '../../../src/server/node/storage/disk.js';
import { Leader } from '../../../src/server/quorum/leading/leader.js';
import { Learner } from '../../../src/server/quorum/learning/learner.js';
import type { ServerNode } from '../nodes/server-node.js';
import { change, eachPart } from './change.js';
import type { PlantedFault } from './plant.js';

const part = (owner: object, name: string): object => Reflect.get(owner, name) as object;

const broadcastOf = ({ peer }: ServerNode) =>
  peer?.role instanceof Leader ? peer.role.broadcast : null;

/** A server votes for an epoch before the one that it offers. */
const voteForLess = eachPart(
  ({ peer }) => peer && part(peer, 'election'),
  (election) => {
    change<(vote: { peerEpoch: bigint }) => void>(election, 'propose', (before) => (vote) => {
      before({ ...vote, peerEpoch: vote.peerEpoch - 1n });
    });
  },
);

/** A server stores another epoch as the one that it joined. */
const joinAnotherEpoch = eachPart(
  ({ peer }) => peer,
  (peer) => {
    change<(name: string, epoch: number) => void>(peer, 'writeEpoch', (before) => (name, epoch) => {
      before(name, name === 'currentEpoch' ? epoch - 1 : epoch);
    });
  },
);

/** A configuration in force stays proposed. */
const keepProposed = eachPart(
  ({ peer }) => peer?.membership,
  (membership) => {
    Reflect.set(membership, 'activate', (config: unknown) => {
      Reflect.set(membership, 'config', config);
    });
  },
);

/** A leader leaves out zxids. */
const skipZxids = eachPart(
  (node) => {
    const broadcast = broadcastOf(node);
    return broadcast && part(broadcast, 'primary');
  },
  (primary) => {
    change<(request: never) => { zxid: bigint }>(primary, 'nextHead', (before) => (request) => {
      const head = before(request);
      return lowOf(head.zxid) % 8 === 7 ? { ...head, zxid: head.zxid + 1n } : head;
    });
  },
);

const altered = new WeakSet<object>();

/** A leader sends each COMMIT twice. */
function repeatCommits({ peer }: ServerNode): void {
  if (!(peer?.role instanceof Leader)) return;
  for (const handler of peer.role.learners.all()) {
    if (altered.has(handler)) continue;
    altered.add(handler);
    change<(...given: never[]) => void>(handler, 'commit', (before) => (...given) => {
      before(...given);
      before(...given);
    });
  }
}

/** A learner leaves out committed txns. */
const skipCommits = eachPart(
  ({ peer }) => {
    const history = peer?.role instanceof Learner ? part(peer.role, 'history') : null;
    return history && part(history, 'pipeline');
  },
  (pipeline) => {
    type Commit = (proposal: { head: { zxid: bigint } }) => void;
    change<Commit>(pipeline, 'commit', (before) => (proposal) => {
      if (lowOf(proposal.head.zxid) % 8 !== 7) before(proposal);
    });
  },
);

/** The pipeline of a role stays when the role ends. */
const keepPipelines = eachPart(
  ({ peer }) => peer && part(peer, 'clients'),
  (clients) => {
    Reflect.set(clients, 'close', () => undefined);
  },
);

/** Reports each epoch as stored twice. */
function storeTwice(disk: Disk): void {
  const write = disk.writeEpoch.bind(disk);
  disk.writeEpoch = (name, epoch, done) => {
    write(name, epoch, () => {
      done();
      done();
    });
  };
}

/** A leader keeps the links that it closed. */
const keepLinks = eachPart(
  ({ peer }) => (peer?.role instanceof Leader ? peer.role.learners : null),
  (learners) => {
    Reflect.set(learners, 'remove', () => undefined);
  },
);

/** A leader forgets that a sync was asked for. */
const forgetSyncs = eachPart(broadcastOf, (broadcast) => {
  Reflect.set(part(broadcast, 'syncs'), 'ask', () => undefined);
});

/**
 * Each class of assertions in server/quorum can fire. The plants that commit without a quorum
 * (plants.ts, state-plants.ts) are those of the class "quorum".
 */
export const INVARIANT_FAULTS: readonly PlantedFault[] = [
  {
    name: 'vote for less history than its own',
    caught: /stops: vote: for less history than its own/,
    seeds: 5,
    onTurn: voteForLess,
  },
  {
    name: 'join another epoch than the accepted one',
    caught: /stops: epoch: joins one it did not accept/,
    seeds: 5,
    onTurn: joinAnotherEpoch,
  },
  {
    name: 'keep a configuration proposed that is in force',
    caught: /stops: config: one is proposed at the start/,
    seeds: 10,
    shape: { spares: 2 },
    onTurn: keepProposed,
  },
  {
    name: 'leave out a zxid',
    caught: /stops: zxid order: proposed out of order/,
    seeds: 5,
    onTurn: skipZxids,
  },
  {
    name: 'send a COMMIT twice',
    caught: /stops: learner: a COMMIT out of order/,
    seeds: 5,
    onTurn: repeatCommits,
  },
  {
    name: 'leave out a committed txn',
    caught: /stops: history: committed but not applied/,
    seeds: 5,
    onTurn: skipCommits,
  },
  {
    name: 'keep the pipeline of a role that ended',
    caught: /stops: role: its pipeline outlives it/,
    seeds: 5,
    onTurn: keepPipelines,
  },
  {
    name: 'report an epoch as stored twice',
    caught: /stops: disk: an answer without a request/,
    seeds: 5,
    onDisk: storeTwice,
  },
  {
    name: 'keep a link that was closed',
    caught: /stops: link: refused but served/,
    seeds: 10,
    onTurn: keepLinks,
  },
  {
    name: 'forget a sync',
    caught: /stops: request: a sync that nobody asked for/,
    seeds: 5,
    onTurn: forgetSyncs,
  },
];
