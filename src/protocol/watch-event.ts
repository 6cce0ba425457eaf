/** Watcher.Event.EventType. */
export const EventType = {
  None: -1,
  NodeCreated: 1,
  NodeDeleted: 2,
  NodeDataChanged: 3,
  NodeChildrenChanged: 4,
  DataWatchRemoved: 5,
  ChildWatchRemoved: 6,
  PersistentWatchRemoved: 7,
} as const;
export type EventTypeName = keyof typeof EventType;
export type EventType = (typeof EventType)[EventTypeName];

const NAMES = new Map<number, EventTypeName>(
  (Object.entries(EventType) as [EventTypeName, number][]).map(([name, code]) => [code, name]),
);

export function eventTypeName(code: number): EventTypeName | undefined {
  return NAMES.get(code);
}

/** Watcher.Event.KeeperState; a server sends only SyncConnected. */
export const KeeperState = {
  Disconnected: 0,
  SyncConnected: 3,
  AuthFailed: 4,
  ConnectedReadOnly: 5,
  SaslAuthenticated: 6,
  Expired: -112,
  Closed: 7,
} as const;

/** How far a persistent watch reaches: one znode and its children, or the tree. */
export const AddWatchMode = { PERSISTENT: 0, PERSISTENT_RECURSIVE: 1 } as const;
export type AddWatchMode = (typeof AddWatchMode)[keyof typeof AddWatchMode];

/** The kind of watches for removeWatches and checkWatches (Watcher.WatcherType). */
export const WatcherType = {
  Children: 1,
  Data: 2,
  Any: 3,
  Persistent: 4,
  PersistentRecursive: 5,
} as const;
export type WatcherType = (typeof WatcherType)[keyof typeof WatcherType];
