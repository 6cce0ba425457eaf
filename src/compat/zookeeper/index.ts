/** The exports of `zksh/compat/zookeeper`: those of the npm package it replaces. */
import { CallbackZooKeeper } from './callbacks.js';
import { CONSTANTS } from './constants.js';
import { PromiseZooKeeper } from './promises.js';

Object.assign(CallbackZooKeeper, CONSTANTS);
/** The class of the package, with the constants as its properties: `ZooKeeper.ZNONODE`. */
export const ZooKeeper: typeof PromiseZooKeeper & typeof CONSTANTS = Object.assign(
  PromiseZooKeeper,
  CONSTANTS,
);
export type ZooKeeper = PromiseZooKeeper;

export type {
  AclCallback,
  Child2Callback,
  ChildCallback,
  DataCallback,
  PathCallback,
  StatCallback,
  VoidCallback,
} from './callbacks.js';
export { CONSTANTS as constants } from './constants.js';
export type { Acl, Config, Stat, WatchCallback } from './values.js';

export default ZooKeeper;
