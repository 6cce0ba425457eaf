/** The exports of `zksh/compat/zookeeper`: those of the npm package it replaces. */
import { CallbackZooKeeper } from './callbacks.js';
import { CONSTANTS } from './constants.js';
import { PromiseZooKeeper } from './promises.js';

Object.assign(CallbackZooKeeper, CONSTANTS);
/**
 * The class of the package, with the constants as its properties: `ZooKeeper.ZNONODE`.
 * @example
 * const client = new ZooKeeper({ connect: '127.0.0.1:2181', timeout: 5000 });
 * client.init({});
 * client.on('connect', async () => {
 *   await client.create('/a', 'x', ZooKeeper.ZOO_EPHEMERAL);
 *   client.close();
 * });
 */
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
export type { Callback } from './handle.js';
export type { Acl, Config, Stat, WatchCallback } from './values.js';

export default ZooKeeper;
