import type { Task } from '../calls/task.js';
import { diffSnapshots } from '../files/diff-snapshots.js';
import { dumpSnapshot } from '../files/dump-snapshot.js';
import { topSnapshot } from '../files/top-snapshot.js';
import { verifySnapshot } from '../files/verify-snapshot.js';

export const snap: readonly Task[] = [verifySnapshot, topSnapshot, dumpSnapshot, diffSnapshots];
