import {
  CONNECTIONS,
  LAG,
  LATENCY_NOW,
  OUTSTANDING,
  REQUEST_RATE,
  summaryColumn,
  UPTIME,
  VERSION,
  WATCHES,
  WRITE_RATE,
  ZNODES,
} from '../../ensemble/columns.js';
import { roleOf } from '../../ensemble/member.js';
import { serverData } from '../../ensemble/server-data.js';
import type { Column, OpsVerb } from '../../ensemble/verb.js';

const ROLE_OR_STATE: Column = {
  title: 'ROLE',
  key: 'state',
  rank: 0,
  value: (member) => (member.state === 'serving' ? roleOf(member) : member.state),
};

export const top: OpsVerb = {
  name: 'top',
  summary: 'Watch the members live: rates, latencies, and lag, sorted and filtered',
  words: ['srvr', 'mntr'],
  judge: 'ensemble',
  isMeasured: true,
  isLive: true,
  columns: [
    ROLE_OR_STATE,
    { ...LAG, rank: 4 },
    { ...REQUEST_RATE, rank: 1 },
    { ...WRITE_RATE, rank: 3 },
    { ...LATENCY_NOW, rank: 2 },
    summaryColumn('P99u ms', 'updatelatency', 'p99', 6),
    summaryColumn('P99r ms', 'readlatency', 'p99', 9),
    OUTSTANDING,
    CONNECTIONS,
    WATCHES,
    ZNODES,
    { ...UPTIME, rank: 10 },
    { ...VERSION, rank: 12 },
  ],
  data: serverData,
};
