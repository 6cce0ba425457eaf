import { OpCode, Xid } from '../../../src/protocol/op-code.js';
import { OPEN_ACL_UNSAFE } from '../../../src/protocol/perms.js';
import type { ServerNode } from '../nodes/server-node.js';
import type { PlantedFault } from './plant.js';

/** The frames of one write to a client. */
function framesOf(bytes: Buffer): Buffer[] {
  const frames: Buffer[] = [];
  for (let at = 0; at + 4 <= bytes.length; ) {
    const end = at + 4 + bytes.readInt32BE(at);
    frames.push(bytes.subarray(at, end));
    at = end;
  }
  return frames;
}

function xidOf(frame: Buffer): number {
  return frame.length < 8 ? 0 : frame.readInt32BE(4);
}

/** The frames of one write to a client, events last. */
function eventsLast(bytes: Buffer): Buffer {
  const frames = framesOf(bytes);
  const isEvent = (frame: Buffer) => xidOf(frame) === Xid.notification;
  return Buffer.concat([...frames.filter((frame) => !isEvent(frame)), ...frames.filter(isEvent)]);
}

/** Without the events of changes during a disconnect. */
function withoutMissedEvents(bytes: Buffer): Buffer {
  const frames = framesOf(bytes);
  const armed = frames.findIndex((frame) => xidOf(frame) === Xid.setWatches);
  const kept = frames.filter((frame, at) => at > armed || xidOf(frame) !== Xid.notification);
  return Buffer.concat(kept);
}

/** Sometimes responds with the first number instead of the next one. */
function repeatNumbers(bytes: Buffer): Buffer {
  const at = bytes.indexOf('/sequence/a-000000');
  if (at < 0) return bytes;
  const copy = Buffer.from(bytes);
  copy.write('0000', at + '/sequence/a-000000'.length);
  return copy;
}

/** Runs once for each state that a server serves from. Each of its roles has a new one. */
export function eachState(change: (node: ServerNode) => void): (node: ServerNode) => void {
  const changed = new WeakSet<object>();
  return (node) => {
    const state = node.peer?.server.state;
    if (state === undefined || changed.has(state)) return;
    changed.add(state);
    change(node);
  };
}

/** Applies only the first part of a multi. */
function halveMultis({ sid, peer }: ServerNode): void {
  if (sid !== 1 || peer === null) return;
  const { tree } = peer.data;
  const { applyPart } = tree;
  let zxid = 0n;
  tree.applyPart = (head, txn) => {
    if (head.zxid === zxid) return;
    zxid = head.zxid;
    applyPart.call(tree, head, txn);
  };
}

/** Creates an ephemeral of a session again after the session was closed. */
function raiseGhosts({ sid, peer }: ServerNode): void {
  if (sid !== 1 || peer === null) return;
  const { tree } = peer.data;
  const { apply } = tree;
  tree.apply = (head, txn) => {
    apply.call(tree, head, txn);
    const [path] = txn.type === OpCode.closeSession ? (txn.paths ?? []) : [];
    if (path === undefined) return;
    const ghost = { path, data: null, acl: OPEN_ACL_UNSAFE, isEphemeral: true, ttl: 0n };
    apply.call(tree, head, { type: OpCode.create, ...ghost, parentCVersion: 1 });
  };
}

/** Omits the uncommitted ephemerals of a session when it closes. */
function forgetPending({ peer }: ServerNode): void {
  if (peer === null) return;
  const { tree } = peer.data;
  const { outstanding } = peer.server.state.prep;
  const all = outstanding.ephemeralsOf;
  outstanding.ephemeralsOf = (owner) => {
    const found = all.call(outstanding, owner);
    const inTree = tree.ephemeralsOf(owner);
    const isCommitted = (path: string) => inTree.has(path);
    const pending = found.pending.filter(({ path }) => isCommitted(path));
    return { ...found, paths: found.paths.filter(isCommitted), pending };
  };
}

/** Faults in the responses to clients, and in the state of sessions. */
export const SESSION_FAULTS: readonly PlantedFault[] = [
  {
    name: 'send an event after the response that shows it',
    caught: /expected the events .* before it/,
    seeds: 20,
    onSend: eventsLast,
  },
  {
    name: 'lose the events of a reconnect',
    caught: /expected the events .*after a reconnect/,
    seeds: 20,
    onSend: withoutMissedEvents,
  },
  {
    name: 'issue a sequence number twice',
    caught: /was created twice|is answered/,
    seeds: 20,
    onSend: repeatNumbers,
  },
  {
    name: 'apply half of a multi',
    caught: /digests that differ from its leader's/,
    seeds: 20,
    onTurn: eachState(halveMultis),
  },
  {
    name: 'keep an ephemeral of a closed session',
    caught: /digests that differ from its leader's/,
    seeds: 20,
    onTurn: eachState(raiseGhosts),
  },
  {
    name: 'forget an ephemeral that is created while its session closes',
    caught: /closes a session that owns|decides close/,
    seeds: 40,
    onTurn: eachState(forgetPending),
  },
];
