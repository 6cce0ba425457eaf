import {
  CERTIFICATE_DAYS,
  LAG,
  OUTSTANDING,
  ROLE,
  SPEED,
  STATE,
  SYNCED,
  UPTIME,
  VERSION,
  ZXID,
} from '../../ensemble/columns.js';
import { serverData } from '../../ensemble/server-data.js';
import { JUDGED, type OpsVerb } from '../../ensemble/verb.js';

export const health: OpsVerb = {
  name: 'health',
  summary: 'Judge the ensemble; critical only if a second query confirms it',
  // conf distinguishes two ensembles in one list.
  words: ['srvr', 'mntr', 'conf'],
  extraWords: ['conf'],
  ...JUDGED,
  columns: [
    STATE,
    ROLE,
    ZXID,
    LAG,
    SYNCED,
    OUTSTANDING,
    ...SPEED,
    CERTIFICATE_DAYS,
    UPTIME,
    VERSION,
  ],
  data: serverData,
};
