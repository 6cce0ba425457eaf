import type { Task } from '../calls/task.js';
import { backupStatus } from './backup-status.js';
import { restoreBackup } from './restore-backup.js';
import { restorePath } from './restore-path.js';
import { runBackup } from './run-backup.js';

export const backup: readonly Task[] = [runBackup, restoreBackup, restorePath, backupStatus];
