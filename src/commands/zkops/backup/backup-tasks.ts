import type { Task } from '../calls/task.js';
import { backupStatus } from './backup-status.js';
import { restoreBackup } from './restore-backup.js';
import { runBackup } from './run-backup.js';

export const backup: readonly Task[] = [runBackup, restoreBackup, backupStatus];
