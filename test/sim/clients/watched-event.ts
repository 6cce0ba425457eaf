/** WatcherEvent.type, as ZooKeeper numbers it. */
export const EventType = { created: 1, deleted: 2, dataChanged: 3, childrenChanged: 4 } as const;
export type EventType = (typeof EventType)[keyof typeof EventType];

export interface WatchedEvent {
  readonly type: EventType;
  readonly path: string;
}

const NAMES: Readonly<Record<EventType, string>> = {
  1: 'NodeCreated',
  2: 'NodeDeleted',
  3: 'NodeDataChanged',
  4: 'NodeChildrenChanged',
};

export function nameOf({ type, path }: WatchedEvent): string {
  return `${NAMES[type] ?? type} ${path}`;
}
