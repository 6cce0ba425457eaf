import {
  AVERAGE,
  LAG,
  OUTSTANDING,
  ROLE,
  STATE,
  SYNCED,
  UPTIME,
  VERSION,
  ZXID,
} from '../columns.js';
import { serverData } from '../server-data.js';
import type { OpsVerb } from '../verb.js';

export const health: OpsVerb = {
  name: 'health',
  summary: 'one verdict on the ensemble; critical only when a second look finds it again',
  // conf tells two ensembles in one list apart.
  words: ['srvr', 'mntr', 'conf'],
  extraWords: ['conf'],
  judge: 'ensemble',
  isConfirmed: true,
  isMeasured: true,
  columns: [STATE, ROLE, ZXID, LAG, SYNCED, OUTSTANDING, AVERAGE, UPTIME, VERSION],
  data: serverData,
};
