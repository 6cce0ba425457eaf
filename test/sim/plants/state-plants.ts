import { ErrorCode } from '../../../src/protocol/error-code.js';
import { OPEN_ACL_UNSAFE } from '../../../src/protocol/perms.js';
import { Leader } from '../../../src/server/quorum/leading/leader.js';
import { Learner } from '../../../src/server/quorum/learning/learner.js';
import type { ServerNode } from '../nodes/server-node.js';
import { type Call, change, eachPart } from './change.js';
import type { PlantedFault } from './plant.js';
import { eachState } from './session-plants.js';

const broadcastOf = ({ peer }: ServerNode) =>
  peer?.role instanceof Leader ? peer.role.broadcast : null;

/** A leader confirms syncs without asking a quorum. */
const confirmAtOnce = eachPart(broadcastOf, (broadcast) => {
  const syncs = Reflect.get(broadcast, 'syncs') as object;
  change<(round: number) => void>(syncs, 'confirm', () => (round) => {
    Reflect.set(syncs, 'confirmed', round);
    (Reflect.get(syncs, 'onConfirmed') as () => void)();
  });
});

/** A learner logs what it gets, whatever came before. */
const acceptGaps = eachPart(
  ({ peer }) => (peer?.role instanceof Learner ? Reflect.get(peer.role, 'history') : null),
  (history) => {
    const pipeline = Reflect.get(history, 'pipeline') as object;
    change<(zxid: bigint, data: Buffer) => string>(history, 'propose', (before) => (zxid, data) => {
      const get = () => zxid - 1n;
      Object.defineProperty(pipeline, 'lastLogged', { get, configurable: true });
      try {
        return before(zxid, data);
      } finally {
        Reflect.deleteProperty(pipeline, 'lastLogged');
      }
    });
  },
);

/** A leader accepts learners that have more than it. */
const followTheLess = eachPart(
  ({ peer }) => (peer?.role instanceof Leader ? peer.role : null),
  (leader) => {
    Reflect.set(leader, 'ownEpoch', 1 << 30);
  },
);

/** A leader counts each follower in sync as if it had acked everything. */
const countNobody = eachPart(broadcastOf, (broadcast, { peer }) => {
  const acked = () => {
    const zxid = (broadcast as { outstanding: { lastProposed: bigint } }).outstanding.lastProposed;
    const learners = peer?.role instanceof Leader ? peer.role.learners.followers() : [];
    return [...learners].map((sid) => ({ sid, zxid }));
  };
  Reflect.set(broadcast, 'acked', acked);
});

const keepYounger = eachState(({ peer }) => {
  if (peer !== null) peer.data.tree.isYounger = () => false;
});

const allowAll = eachState(({ peer }) => {
  if (peer !== null) peer.server.state.auth.isAllowed = () => true;
});

const forgetQuotas = eachState(({ peer }) => {
  if (peer !== null) Reflect.set(peer.server.state.prep, 'isOverQuota', () => false);
});

/** Deletes whatever the version is. */
const ignoreVersions = eachState(({ peer }) => {
  if (peer === null) return;
  change<(path: string, version: number, author: never) => unknown>(
    peer.server.state.prep,
    'prepareDelete',
    (before) => (path, _, author) => before(path, -1, author),
  );
});

/** As if the file of the tree had lost its ACLs. */
const openAll = eachState(({ peer }) => {
  if (peer === null) return;
  const { tree } = peer.data;
  for (const node of tree.walk()) {
    const isOther = tree.aclOf(node) !== OPEN_ACL_UNSAFE && tree.statOf(node).czxid > 0n;
    if (isOther)
      (Reflect.get(tree, 'changeAcl') as Call).call(tree, ...([node, OPEN_ACL_UNSAFE] as never[]));
  }
});

const shortenTimeouts = eachState(({ peer }) => {
  for (const session of peer?.server.state.sessions.values() ?? []) session.timeoutMs = 600;
});

const reapAll = eachPart(
  ({ peer }) => (peer?.role instanceof Leader ? peer.server.pipeline : null),
  (pipeline) => {
    Reflect.set(Reflect.get(pipeline, 'containers') as object, 'isDue', () => true);
  },
);

/** Events reach clients that may not read the znode. */
const tellAll = eachState(({ peer }) => {
  const listener = peer?.data.tree.listener;
  if (listener == null) return;
  change<(...given: unknown[]) => void>(
    listener,
    'send',
    (before) =>
      (...given) =>
        before(...given.slice(0, 4), OPEN_ACL_UNSAFE),
  );
});

/** A leader takes requests of a session from every server. */
const serveMoved = eachPart(
  ({ peer }) => (peer?.role instanceof Leader ? peer.server.pipeline : null),
  (pipeline) => {
    change<(...given: never[]) => ErrorCode | null>(pipeline, 'refusalOf', (before) => {
      return (...given) => {
        const refusal = before(...given);
        return refusal === ErrorCode.SESSIONMOVED ? null : refusal;
      };
    });
  },
);

/** Faults that only the requests, the trees, or the links show. */
export const STATE_FAULTS: readonly PlantedFault[] = [
  {
    name: 'confirm a sync without a quorum',
    caught: /a sync at .* was sent after/,
    seeds: 60,
    onTurn: confirmAtOnce,
  },
  {
    name: 'accept a gap in the txns of the leader',
    caught: /are missing|omits txns|stops: |cannot be read/,
    seeds: 20,
    shape: { liesOneIn: 2 },
    onTurn: acceptGaps,
  },
  {
    name: 'lead a learner that is ahead',
    caught: /by the promises of only/,
    seeds: 40,
    shape: { liesOneIn: 2 },
    onTurn: followTheLess,
  },
  {
    name: 'count acks that nobody gave',
    caught: /stops: quorum: a commit without one/,
    seeds: 10,
    onTurn: countNobody,
  },
  {
    name: 'write znodes into a snapshot that are younger',
    caught: /has the younger|has .* expected/,
    seeds: 20,
    onTurn: keepYounger,
  },
  {
    name: 'allow everything to everybody',
    caught: /\(expected by its request|the right to read|expected the events/,
    seeds: 20,
    onTurn: allowAll,
  },
  {
    name: 'forget hard quotas',
    caught: /\(expected by its request: .*error -125/,
    seeds: 20,
    onTurn: forgetQuotas,
  },
  {
    name: 'delete a znode of another version',
    caught: /expected by its request: .*error -103/,
    seeds: 20,
    onTurn: ignoreVersions,
  },
  {
    name: 'lose ACLs at a load',
    caught: /: \/guarded\/\S+ at 0x|has \/guarded|\(expected by its request|the (right|ACL)/,
    seeds: 20,
    onTurn: openAll,
  },
  {
    name: 'change the timeouts of sessions at a load',
    caught: /session 0x\w+ at|expires session|a session has a timeout/,
    seeds: 20,
    onTurn: shortenTimeouts,
  },
  {
    name: 'delete containers and TTL znodes that are not due',
    caught: /which is not due/,
    seeds: 10,
    onTurn: reapAll,
  },
  {
    name: 'send an event to a client that may not read the znode',
    caught: /expected the events/,
    seeds: 40,
    onTurn: tellAll,
  },
  {
    name: 'take a request of a session that has moved',
    caught: /expected by its request: error -118|committed after request/,
    seeds: 60,
    onTurn: serveMoved,
  },
];
