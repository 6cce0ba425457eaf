import type { Task } from '../calls/task.js';
import { dumpLog } from '../files/dump-log.js';
import { recoverLog } from '../files/recover-log.js';
import { truncateLog } from '../files/truncate-log.js';
import { verifyLog } from '../files/verify-log.js';

export const log: readonly Task[] = [verifyLog, dumpLog, truncateLog, recoverLog];
