import { DEFAULT_MAX_ENTRY } from '../../data-files/read-log.js';
import type { CallOption } from '../../program/command-line.js';
import type { TaskCall } from '../calls/task.js';

/** For files of servers with a larger jute.maxbuffer. */
export const MAX_ENTRY_OPTION: CallOption = [
  '--maxbuffer <bytes>',
  "longest record or znode: the servers' jute.maxbuffer plus its extra size",
  'count',
  DEFAULT_MAX_ENTRY,
];

export function maxEntryOf(call: TaskCall): number {
  return call.number('maxbuffer') ?? DEFAULT_MAX_ENTRY;
}
