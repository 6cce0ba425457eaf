import { CONNECTIONS, WATCHES, ZNODES } from '../../ensemble/columns.js';
import type { OpsVerb } from '../../ensemble/verb.js';
import { health } from './health.js';

export const report: OpsVerb = {
  ...health,
  name: 'report',
  summary: 'Write the verdict of health as one HTML page, with trends from a state file',
  hasPage: true,
  columns: [...health.columns, CONNECTIONS, WATCHES, ZNODES],
};
