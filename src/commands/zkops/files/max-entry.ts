import { DEFAULT_MAX_ENTRY } from '../../data-files/read-log.js';
import type { TaskCall, TaskOption } from '../calls/task.js';

/** For files of servers whose jute.maxbuffer was raised. */
export const MAX_ENTRY_OPTION: TaskOption = {
  name: 'maxbuffer',
  value: 'bytes',
  about: "longest record or znode to expect: the servers' jute.maxbuffer and its extra size",
  kind: 'count',
  fallback: DEFAULT_MAX_ENTRY,
};

export function maxEntryOf(call: TaskCall): number {
  return call.number(MAX_ENTRY_OPTION.name) ?? DEFAULT_MAX_ENTRY;
}
