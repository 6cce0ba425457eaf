import {
  AVERAGE,
  CONNECTIONS,
  LAG,
  MAXIMUM,
  OUTSTANDING,
  ROLE,
  STATE,
  VERSION,
  ZNODES,
  ZXID,
} from '../../ensemble/columns.js';
import { serverOf } from '../../ensemble/member.js';
import { serverData } from '../../ensemble/server-data.js';
import type { Column, OpsVerb } from '../../ensemble/verb.js';

const RECEIVED: Column = {
  key: 'received',
  rank: 11,
  value: (member) => serverOf(member)?.received,
};
const SENT: Column = {
  key: 'sent',
  rank: 12,
  value: (member) => serverOf(member)?.sent,
};

export const SERVER_COLUMNS: readonly Column[] = [
  STATE,
  ROLE,
  ZXID,
  LAG,
  AVERAGE,
  MAXIMUM,
  OUTSTANDING,
  CONNECTIONS,
  ZNODES,
  RECEIVED,
  SENT,
  VERSION,
];

export const srvr: OpsVerb = {
  name: 'srvr',
  summary: 'Show role, zxid, latency, and load of every member; every server allows this word',
  words: ['srvr'],
  judge: 'ensemble',
  columns: SERVER_COLUMNS,
  data: serverData,
};
