import {
  CERTIFICATE_DAYS,
  DATA_SIZE,
  LAG,
  OPEN_FILES,
  OUTSTANDING,
  ROLE,
  SPEED,
  STATE,
  summaryColumn,
  UPTIME,
  ZNODES,
} from '../../ensemble/columns.js';
import { serverData } from '../../ensemble/server-data.js';
import { JUDGED, type OpsVerb } from '../../ensemble/verb.js';

export const check: OpsVerb = {
  name: 'check',
  summary: 'Compare every member with the limits; --explain lists them',
  words: ['srvr', 'mntr'],
  ...JUDGED,
  hasExplanation: true,
  columns: [
    STATE,
    ROLE,
    LAG,
    OUTSTANDING,
    ...SPEED,
    summaryColumn('P99u ms', 'updatelatency', 'p99', 5),
    summaryColumn('FSYNC ms', 'fsynctime', 'avg', 5),
    OPEN_FILES,
    ZNODES,
    DATA_SIZE,
    CERTIFICATE_DAYS,
    UPTIME,
  ],
  data: serverData,
};
