/**
 * Checks the zxids of replies, independently of the search. Each txn has its own zxid. They grow in
 * real time and in each session. A reply to a sync has at least the zxids of all earlier writes.
 */
import { describe, isWrite, type Operation } from './operations.js';
import type { Verdict } from './verdict.js';

interface Numbered {
  readonly operation: Operation;
  readonly zxid: bigint;
}

export function checkZxids(operations: readonly Operation[]): Verdict[] {
  const done = operations.flatMap((operation) => {
    const { outcome, zxid, name } = operation;
    const isTxn = isWrite(operation) || name === 'closeSession';
    return outcome === 'ok' && isTxn && zxid !== undefined ? [{ operation, zxid }] : [];
  });
  return [
    ...checkUnique(done),
    ...checkStats(done),
    ...checkSessions(done),
    ...checkRealTime(done, operations),
  ];
}

function complain(message: string, ...operations: readonly Operation[]): Verdict {
  const lines = operations.flatMap(({ start, end }) => [start + 1, end + 1]);
  return { property: 'zxid-order', message, lines };
}

function checkUnique(done: readonly Numbered[]): Verdict[] {
  const owners = new Map<bigint, Operation>();
  const verdicts: Verdict[] = [];
  for (const { operation, zxid } of done) {
    const owner = owners.get(zxid);
    owners.set(zxid, operation);
    if (owner === undefined) continue;
    const message = `one zxid for two txns: ${describe(owner)}, ${describe(operation)}`;
    verdicts.push(complain(message, owner, operation));
  }
  return verdicts;
}

function checkStats(done: readonly Numbered[]): Verdict[] {
  return done.flatMap(({ operation, zxid }) => {
    const mzxid = operation.result.stat?.mzxid;
    if (mzxid === undefined || mzxid === zxid) return [];
    return [complain(`the reply and its stat differ: ${describe(operation)}`, operation)];
  });
}

function checkSessions(done: readonly Numbered[]): Verdict[] {
  const last = new Map<string, Numbered>();
  const verdicts: Verdict[] = [];
  for (const { operation, zxid } of done) {
    const before = last.get(operation.session);
    last.set(operation.session, { operation, zxid });
    if (before === undefined || before.zxid < zxid) continue;
    const message = `not in program order: ${describe(before.operation)}, ${describe(operation)}`;
    verdicts.push(complain(message, before.operation, operation));
  }
  return verdicts;
}

/**
 * In one pass over starts and ends: an operation that starts after another one ended has a higher
 * zxid.
 */
function checkRealTime(done: readonly Numbered[], operations: readonly Operation[]): Verdict[] {
  const byEnd = [...done].sort((a, b) => a.operation.end - b.operation.end);
  const verdicts: Verdict[] = [];
  let ended = 0;
  let highest: Numbered | undefined;
  const reachBefore = (start: number): Numbered | undefined => {
    for (let next = byEnd[ended]; next !== undefined; next = byEnd[ended]) {
      if (next.operation.end >= start) break;
      if (highest === undefined || next.zxid > highest.zxid) highest = next;
      ended++;
    }
    return highest;
  };
  const due = new Map<string, Numbered | undefined>();
  for (const operation of operations) {
    const { name, outcome, zxid, session } = operation;
    const before = reachBefore(operation.start);
    if (outcome !== 'ok') continue;
    const isTxn = isWrite(operation) || name === 'closeSession';
    const needed = isTxn ? before : due.get(session);
    if (name === 'sync') due.set(session, before);
    else due.delete(session);
    if (needed === undefined || zxid === undefined || name === 'sync') continue;
    if (isTxn ? needed.zxid < zxid : needed.zxid <= zxid) continue;
    const message = `${describe(operation)} began after ${describe(needed.operation)} was answered`;
    verdicts.push(complain(message, operation, needed.operation));
  }
  return verdicts;
}
