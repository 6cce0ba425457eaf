// A change as text: the event, followed by the difference of the data.
//
//   NodeDataChanged /app/config (version 3 to 4)
//     - {"debug": false}
//     + {"debug": true}

import { isUtf8 } from 'node:buffer';
import { counted } from '../program/counted.js';
import type { Change, ZnodeValue } from './change.js';
import { diffLines } from './line-diff.js';

const CONTEXT = 1;
/** More lines would hide the event. JSON has all of them. */
const MAX_LINES = 20;
const MAX_TEXT_LENGTH = 100_000;
const MAX_NAMES = 10;

export function changeLines(change: Change): string {
  const notes = notesOf(change);
  const note = notes.length === 0 ? '' : ` (${notes.join(', ')})`;
  const lines = [`${change.type} ${change.path}${note}`, ...detailsOf(change).map(indent)];
  return lines.map((line) => `${line}\n`).join('');
}

function indent(line: string): string {
  return `  ${line}`;
}

function notesOf(change: Change): readonly string[] {
  const { before, after, children, unread, isFoundLate } = change;
  const notes: string[] = [];
  if (isFoundLate) notes.push('while disconnected');
  if (unread !== undefined) notes.push(`cannot read: ${unread}`);
  if (change.isAlreadyReported)
    return [...notes, `version ${after?.stat.version}, already reported`];
  if (before && after && before.stat.czxid !== after.stat.czxid) notes.push('created again');
  else if (before && after) {
    notes.push(`version ${before.stat.version} to ${after.stat.version}`);
  } else if (after && change.type === 'NodeDataChanged') {
    notes.push(`version ${after.stat.version}, previous value unknown`);
  }
  if (after === null && change.type !== 'NodeDeleted') notes.push('deleted before it was read');
  if (children !== undefined) notes.push(counted(children.count, 'child', 'children'));
  return notes;
}

function detailsOf(change: Change): readonly string[] {
  const { before, after, children } = change;
  if (children !== undefined) {
    return [...names('-', children.removed), ...names('+', children.added)];
  }
  if (change.isAlreadyReported) return [];
  return limited(differenceOf(before, after));
}

function names(sign: string, list: readonly string[]): readonly string[] {
  const shown = list.slice(0, MAX_NAMES).map((name) => `${sign} ${name}`);
  const more = list.length - shown.length;
  return more > 0 ? [...shown, `${sign} … and ${more} more`] : shown;
}

function limited(lines: readonly string[]): readonly string[] {
  if (lines.length <= MAX_LINES) return lines;
  return [...lines.slice(0, MAX_LINES - 1), `… ${lines.length - MAX_LINES + 1} more lines`];
}

type Known = ZnodeValue | null | undefined;

function differenceOf(before: Known, after: Known): readonly string[] {
  const old = before?.data ?? undefined;
  const fresh = after?.data ?? undefined;
  const oldLines = linesOf(old);
  const freshLines = linesOf(fresh);
  if (oldLines === undefined || freshLines === undefined) return binaryDifference(old, fresh);
  return withContext(...bothAsJson(oldLines, freshLines));
}

/** Undefined for binary or long data; empty for null and empty data. */
function linesOf(data: Buffer | undefined): readonly string[] | undefined {
  if (data === undefined || data.length === 0) return [];
  if (data.length > MAX_TEXT_LENGTH || !isUtf8(data) || data.includes(0)) return undefined;
  return data.toString().replace(/\n$/, '').split('\n');
}

/** Formats one-line JSON over several lines, so that the difference shows only changed fields. */
function bothAsJson(
  before: readonly string[],
  after: readonly string[],
): [readonly string[], readonly string[]] {
  if (before.length > 1 || after.length > 1) return [before, after];
  const oldJson = prettyJson(before[0]);
  const freshJson = prettyJson(after[0]);
  return oldJson === undefined || freshJson === undefined ? [before, after] : [oldJson, freshJson];
}

function prettyJson(text: string | undefined): readonly string[] | undefined {
  // Short JSON is readable on one line.
  if (text === undefined || text.length < 60 || !/^\s*[[{]/.test(text)) return undefined;
  try {
    return JSON.stringify(JSON.parse(text), null, 2).split('\n');
  } catch {
    return undefined;
  }
}

function withContext(before: readonly string[], after: readonly string[]): readonly string[] {
  const lines = diffLines(before, after);
  const isNear = (at: number) =>
    lines.slice(Math.max(0, at - CONTEXT), at + CONTEXT + 1).some(({ sign }) => sign !== ' ');
  const shown: string[] = [];
  let isGap = false;
  for (const [at, { sign, text }] of lines.entries()) {
    if (!isNear(at)) isGap = true;
    else {
      if (isGap && shown.length > 0) shown.push('…');
      isGap = false;
      shown.push(`${sign} ${text}`);
    }
  }
  return shown;
}

function binaryDifference(
  before: Buffer | undefined,
  after: Buffer | undefined,
): readonly string[] {
  if (before !== undefined && after?.equals(before)) return [];
  return [
    ...(before === undefined ? [] : [`- ${counted(before.length, 'byte')}${beginning(before)}`]),
    ...(after === undefined ? [] : [`+ ${counted(after.length, 'byte')}${beginning(after)}`]),
  ];
}

function beginning(bytes: Buffer): string {
  if (bytes.length === 0) return '';
  return `: ${bytes.subarray(0, 16).toString('hex')}${bytes.length > 16 ? '…' : ''}`;
}
