import { KeeperOpCode } from './keeper-dialect.js';

/** The request types of Apache ZooKeeper 3.9, with the names of ZooDefs.OpCode. */
export const OpCode = {
  notification: 0,
  create: 1,
  delete: 2,
  exists: 3,
  getData: 4,
  setData: 5,
  getACL: 6,
  setACL: 7,
  getChildren: 8,
  sync: 9,
  ping: 11,
  getChildren2: 12,
  check: 13,
  multi: 14,
  create2: 15,
  reconfig: 16,
  checkWatches: 17,
  removeWatches: 18,
  createContainer: 19,
  deleteContainer: 20,
  createTTL: 21,
  multiRead: 22,
  auth: 100,
  setWatches: 101,
  sasl: 102,
  getEphemerals: 103,
  getAllChildrenNumber: 104,
  setWatches2: 105,
  addWatch: 106,
  whoAmI: 107,
  createSession: -10,
  closeSession: -11,
  error: -1,
} as const;
export type OpCode = (typeof OpCode)[keyof typeof OpCode];

const NAMES = new Map<number, string>(
  Object.entries({ ...OpCode, ...KeeperOpCode }).map(([name, code]) => [code, name]),
);

/** "create2", or "op 99" for an unknown number. */
export function opCodeName(code: number): string {
  return NAMES.get(code) ?? `op ${code}`;
}

/** The reserved xids. */
export const Xid = {
  notification: -1,
  ping: -2,
  auth: -4,
  setWatches: -8,
} as const;
