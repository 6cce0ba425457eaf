import {
  AVERAGE,
  DATA_SIZE,
  LAG,
  OPEN_FILES,
  OUTSTANDING,
  ROLE,
  STATE,
  summaryColumn,
  UPTIME,
  ZNODES,
} from '../columns.js';
import { serverData } from '../server-data.js';
import type { OpsVerb } from '../verb.js';

export const check: OpsVerb = {
  name: 'check',
  summary: 'holds every member against the limits, which --explain lists',
  words: ['srvr', 'mntr'],
  judge: 'ensemble',
  isConfirmed: true,
  isMeasured: true,
  hasExplanation: true,
  columns: [
    STATE,
    ROLE,
    LAG,
    OUTSTANDING,
    AVERAGE,
    summaryColumn('P99u ms', 'updatelatency', 'p99', 5),
    summaryColumn('FSYNC ms', 'fsynctime', 'avg', 5),
    OPEN_FILES,
    ZNODES,
    DATA_SIZE,
    UPTIME,
  ],
  data: serverData,
};
