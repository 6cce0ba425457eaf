import { parseJavaNumber } from '../../../fourlw/base/java-number.js';
import {
  CERTIFICATE_DAYS,
  CONNECTIONS,
  DATA_SIZE,
  LAG,
  OPEN_FILES,
  OUTSTANDING,
  ROLE,
  SPEED,
  STATE,
  SYNCED,
  summaryColumn,
  UPTIME,
  VERSION,
  WATCHES,
  ZNODES,
  ZXID,
} from '../../ensemble/columns.js';
import { metricsOf } from '../../ensemble/member.js';
import { serverData } from '../../ensemble/server-data.js';
import { JUDGED, type OpsVerb } from '../../ensemble/verb.js';

/** Converts numbers that a double holds exactly. */
function jsonValue(text: string): number | string | null {
  const number = parseJavaNumber(text);
  if (number === undefined) return text;
  if (Number.isNaN(number)) return null;
  return Number.isInteger(number) && !Number.isSafeInteger(number) ? text : number;
}

export const mntr: OpsVerb = {
  name: 'mntr',
  summary: 'Show the important metrics of every member; with --all or --keys, more',
  // mntr has no zxid, and srvr answers if the whitelist refuses mntr.
  words: ['mntr', 'srvr'],
  ...JUDGED,
  columns: [
    STATE,
    ROLE,
    ZXID,
    LAG,
    ...SPEED,
    summaryColumn('P99u ms', 'updatelatency', 'p99', 10),
    summaryColumn('P99r ms', 'readlatency', 'p99', 15),
    OUTSTANDING,
    CONNECTIONS,
    WATCHES,
    ZNODES,
    DATA_SIZE,
    summaryColumn('FSYNC ms', 'fsynctime', 'max', 12),
    OPEN_FILES,
    SYNCED,
    CERTIFICATE_DAYS,
    UPTIME,
    { ...VERSION, rank: 16 },
  ],
  pairs: (member) => [...(metricsOf(member)?.values ?? [])],
  data: (member) => {
    const metrics = metricsOf(member);
    return {
      ...serverData(member),
      dialect: metrics?.dialect,
      metrics:
        metrics === undefined
          ? undefined
          : Object.fromEntries([...metrics.values].map(([key, text]) => [key, jsonValue(text)])),
    };
  },
};
