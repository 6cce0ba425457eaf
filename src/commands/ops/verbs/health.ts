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
  words: ['srvr', 'mntr'],
  judge: 'ensemble',
  isConfirmed: true,
  columns: [STATE, ROLE, ZXID, LAG, SYNCED, OUTSTANDING, AVERAGE, UPTIME, VERSION],
  data: serverData,
};
