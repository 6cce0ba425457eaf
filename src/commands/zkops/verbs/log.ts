import type { TaskGroup } from '../calls/task.js';
import { dumpLog } from '../files/dump-log.js';
import { truncateLog } from '../files/truncate-log.js';
import { verifyLog } from '../files/verify-log.js';

export const log: TaskGroup = {
  name: 'log',
  summary: 'transaction logs, of Apache servers too: verify, dump, truncate',
  tasks: [verifyLog, dumpLog, truncateLog],
};
