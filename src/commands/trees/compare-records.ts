import { compareWalk } from '../../protocol/path.js';
import { isSameAcl, isSameData, type ZnodeRecord } from './znode-record.js';

export interface Difference {
  readonly path: string;
  readonly left: ZnodeRecord | undefined;
  readonly right: ZnodeRecord | undefined;
  readonly isDataDifferent: boolean;
  readonly isAclDifferent: boolean;
}

/** Keeps only one znode of each tree in memory. */
export async function* compareRecords(
  left: AsyncGenerator<ZnodeRecord>,
  right: AsyncGenerator<ZnodeRecord>,
): AsyncGenerator<Difference> {
  let [a, b] = await Promise.all([left.next(), right.next()]);
  while (a.done !== true || b.done !== true) {
    const order =
      a.done === true ? 1 : b.done === true ? -1 : compareWalk(a.value.path, b.value.path);
    const l = order <= 0 && a.done !== true ? a.value : undefined;
    const r = order >= 0 && b.done !== true ? b.value : undefined;
    const difference = differenceOf(l, r);
    if (difference !== undefined) yield difference;
    [a, b] = await Promise.all([
      l === undefined ? a : left.next(),
      r === undefined ? b : right.next(),
    ]);
  }
}

function differenceOf(
  left: ZnodeRecord | undefined,
  right: ZnodeRecord | undefined,
): Difference | undefined {
  const path = left?.path ?? right?.path ?? '';
  if (left === undefined || right === undefined) {
    return { path, left, right, isDataDifferent: false, isAclDifferent: false };
  }
  const isDataDifferent = !isSameData(left.data, right.data);
  const isAclDifferent =
    left.acl !== undefined && right.acl !== undefined && !isSameAcl(left.acl, right.acl);
  if (!isDataDifferent && !isAclDifferent) return undefined;
  return { path, left, right, isDataDifferent, isAclDifferent };
}
