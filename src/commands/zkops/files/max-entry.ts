import { DEFAULT_MAX_ENTRY } from '../../data-files/read-log.js';
import { COUNT, type OptionSpecs } from '../../machine/declaration.js';
import type { TaskCall } from '../calls/task.js';

/** For files of servers with a larger jute.maxbuffer. */
export const MAX_ENTRY_OPTION: OptionSpecs = {
  maxbuffer: {
    ...COUNT,
    valueName: 'BYTES',
    fallback: DEFAULT_MAX_ENTRY,
    summary: "longest record or znode: the servers' jute.maxbuffer plus its extra size",
  },
};

export function maxEntryOf(call: TaskCall): number {
  return call.number('maxbuffer') ?? DEFAULT_MAX_ENTRY;
}
