import { cleanFolder } from '../files/clean-folder.js';
import type { TaskGroup } from '../task.js';

export const clean: TaskGroup = {
  name: 'clean',
  summary: cleanFolder.summary,
  tasks: [cleanFolder],
};
