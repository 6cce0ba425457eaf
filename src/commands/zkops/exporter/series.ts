// The PromQL for a row of the table of limits, shared by alerts and the dashboard.

import type { Reading } from '../../ensemble/verdict/threshold.js';
import { plainName, summaryName } from '../../results/prom-metrics.js';

/** The window of a rate: a few scrapes at any usual interval. */
const WINDOW = '5m';
/** For the rate at which an epoch fills up. */
const LONG_WINDOW = '6h';
const ZXIDS_OF_AN_EPOCH = 2 ** 32;
const DAY_SECONDS = 86_400;

const NOTHING = { values: new Map<string, string>() };

function gauge(key: string): string {
  return plainName(key, NOTHING)?.name ?? `zk_${key}`;
}

/** One value for each member, in the unit of the limit. */
export function expressionOf(reading: Reading): string {
  switch (reading.kind) {
    case 'gauge':
      return gauge(reading.key);
    case 'peak':
      return `max_over_time(${gauge(`last_${reading.summary}`)}[${WINDOW}])`;
    case 'ratio':
      return `100 * ${gauge(reading.key)} / (${gauge(reading.of)} > 0)`;
    case 'increase':
      return `increase(${gauge(reading.key)}[${WINDOW}])`;
    case 'mean': {
      const { name, factor } = summaryName(reading.summary);
      const mean = `rate(${name}_sum[${WINDOW}]) / (rate(${name}_count[${WINDOW}]) > 0)`;
      return factor === 1 ? mean : `${factor} * ${mean}`;
    }
    case 'rate': {
      const { name, factor } = summaryName(reading.summary);
      return `${factor} * rate(${name}_sum[${WINDOW}])`;
    }
    case 'p99': {
      const { name, factor } = summaryName(reading.summary);
      const quantile = `${name}{quantile="0.99"}`;
      return factor === 1 ? quantile : `${factor} * ${quantile}`;
    }
    case 'lag':
      return 'zk_lag_txns';
    case 'zxid-used':
      return `100 * zk_zxid_txns / ${ZXIDS_OF_AN_EPOCH}`;
    case 'zxid-days': {
      const left = `(${ZXIDS_OF_AN_EPOCH} - zk_zxid_txns)`;
      return `${left} / (deriv(zk_zxid_txns[${LONG_WINDOW}]) > 0) / ${DAY_SECONDS}`;
    }
    case 'certificate-days':
      return `(zk_certificate_expiry_timestamp_seconds - time()) / ${DAY_SECONDS}`;
  }
}

/** One increase is an alert, without a waiting time. */
export function isEvent({ kind }: Reading): boolean {
  return kind === 'increase';
}
