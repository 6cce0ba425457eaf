import { metricOf, summaryPart } from '../../fourlw/mntr.js';
import { formatZxid } from '../../protocol/zxid.js';
import { shortBytes, shortCount, shortDuration, shortNumber } from './format.js';
import { type Member, metricsOf, roleOf, serverOf } from './member.js';
import { lagOf, statusOf } from './status.js';
import type { CellValue, Column } from './verb.js';

export const STATE: Column = {
  key: 'state',
  rank: 0,
  value: ({ state }) => state,
};

export const ROLE: Column = {
  key: 'role',
  rank: 1,
  codes: ['two-leaders', 'two-ensembles', 'standalone-beside-ensemble', 'several-standalone'],
  value: roleOf,
};

export const ZXID: Column = {
  key: 'zxid',
  rank: 2,
  codes: ['zxid_used', 'zxid_days', 'not-in-sync'],
  value: (member) => {
    const zxid = serverOf(member)?.zxid;
    return zxid === undefined ? undefined : formatZxid(zxid);
  },
};

export const LAG: Column = {
  title: 'LAG',
  key: 'lag_txns',
  rank: 9,
  codes: ['lag', 'not-in-sync'],
  value: lagOf,
};

export const SYNCED: Column = {
  title: 'SYNCED',
  key: 'synced_followers',
  rank: 3,
  value: (member) => {
    const { syncedFollowers, quorumSize } = statusOf(member);
    if (syncedFollowers === undefined || quorumSize === undefined) return syncedFollowers;
    return `${syncedFollowers}/${quorumSize - 1}`;
  },
};

export const VERSION: Column = {
  key: 'version',
  rank: 10,
  value: (member) => serverOf(member)?.release ?? metricsOf(member)?.values.get('version'),
};

export function metricColumn(
  title: string,
  key: string,
  rank: number,
  options: {
    readonly metric?: string;
    readonly instead?: (member: Member) => CellValue;
    readonly show?: (value: string | number | bigint) => string;
    readonly codes?: readonly string[];
  } = {},
): Column {
  const { metric = key, instead, show, codes = [key] } = options;
  return {
    title,
    key,
    rank,
    value: (member) => {
      const metrics = metricsOf(member);
      return (metrics && metricOf(metrics, metric)) ?? instead?.(member);
    },
    codes,
    ...(show === undefined ? {} : { show }),
  };
}

const SUMMARY_LIMITS: Readonly<Record<string, string>> = {
  updatelatency: 'update_latency',
  readlatency: 'read_latency',
  fsynctime: 'fsync_time',
};

export function summaryColumn(
  title: string,
  summary: string,
  part: 'avg' | 'max' | 'p99',
  rank: number,
): Column {
  return {
    title,
    key: `${part}_${summary}`,
    rank,
    value: (member) => {
      const metrics = metricsOf(member);
      return metrics && summaryPart(metrics, summary, part);
    },
    codes: part === 'p99' ? [`${SUMMARY_LIMITS[summary]}_p99`] : [SUMMARY_LIMITS[summary] ?? ''],
    show: shortNumber,
  };
}

export const OUTSTANDING = metricColumn('OUT', 'outstanding_requests', 4, {
  instead: (member) => serverOf(member)?.outstanding,
  show: shortCount,
});
export const AVERAGE = metricColumn('AVG ms', 'avg_latency', 5, {
  codes: ['update_latency', 'read_latency'],
  instead: (member) => serverOf(member)?.latencyMs?.avg,
  show: shortNumber,
});
export const MAXIMUM = metricColumn('MAX ms', 'max_latency', 8, {
  instead: (member) => serverOf(member)?.latencyMs?.max,
  show: shortNumber,
});
export const CONNECTIONS = metricColumn('CONNS', 'num_alive_connections', 6, {
  codes: ['connections'],
  instead: (member) => serverOf(member)?.connections,
  show: shortCount,
});
export const ZNODES = metricColumn('ZNODES', 'znode_count', 7, {
  instead: (member) => serverOf(member)?.nodeCount,
  show: shortCount,
});
export const WATCHES = metricColumn('WATCH', 'watch_count', 8, { show: shortCount });
export const DATA_SIZE = metricColumn('DATA', 'approximate_data_size', 11, {
  codes: ['data_size'],
  show: shortBytes,
});
export const UPTIME = metricColumn('UP', 'uptime', 14, { show: shortDuration });

/** Needs an earlier poll: --interval or --state. */
export const REQUEST_RATE: Column = {
  title: 'REQ/s',
  key: 'requests_per_second',
  rank: 5,
  value: ({ rates }) => rates?.requestsPerSecond,
  show: shortNumber,
};
export const WRITE_RATE: Column = {
  title: 'WRITE/s',
  key: 'writes_per_second',
  rank: 7,
  value: ({ rates }) => rates?.writesPerSecond,
  show: shortNumber,
};
export const LATENCY_NOW: Column = {
  title: 'NOW ms',
  key: 'latency_ms',
  rank: 5,
  codes: ['update_latency', 'read_latency'],
  value: ({ rates }) => rates?.latencyMs,
  show: shortNumber,
};

export const SPEED: readonly Column[] = [AVERAGE, REQUEST_RATE, WRITE_RATE, LATENCY_NOW];

export const CERTIFICATE_DAYS: Column = {
  title: 'CERT',
  key: 'certificate_ends',
  rank: 12,
  codes: ['certificate_days'],
  value: ({ certificateEndsMs: ends }) =>
    ends === undefined ? undefined : new Date(ends).toISOString().slice(0, 10),
};

export const OPEN_FILES: Column = {
  title: 'FD%',
  key: 'open_files_percent',
  rank: 13,
  codes: ['open_files'],
  value: (member) => {
    const metrics = metricsOf(member);
    if (metrics === undefined) return undefined;
    const open = metricOf(metrics, 'open_file_descriptor_count') ?? -1;
    const limit = metricOf(metrics, 'max_file_descriptor_count') ?? -1;
    return open < 0 || limit <= 0 ? undefined : Number(((100 * open) / limit).toFixed(1));
  },
  show: shortNumber,
};

export const TOOK: Column = {
  key: 'took_ms',
  rank: 2,
  value: ({ tookMs }) => Math.round(tookMs),
};
