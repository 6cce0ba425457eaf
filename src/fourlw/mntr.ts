import { inJavaMapOrder } from './base/java-map-order.js';
import { formatJavaDouble, formatMean, parseJavaNumber } from './base/java-number.js';
import { linesOf } from './base/lines.js';
import {
  ADVANCED_SUMMARIES,
  ADVANCED_SUMMARY_SETS,
  BASIC_SUMMARIES,
  BASIC_SUMMARY_SETS,
  COUNTER_SETS,
  COUNTERS,
  LATER_BASIC_SUMMARIES,
  LATER_COUNTERS,
  OPERATION_COUNTERS,
  TTL_COUNTERS,
} from './base/mntr-keys.js';
import type { AdvancedSummaryView, ServerView, SummaryView } from './base/server-view.js';
import { servingWord } from './base/word.js';

const PREFIX = 'zk_';
/** The summary of a metric that has measured nothing yet. */
export const EMPTY_SUMMARY: SummaryView = { count: 0, sum: 0, min: 0, max: 0 };
export const EMPTY_ADVANCED: AdvancedSummaryView = {
  ...EMPTY_SUMMARY,
  p50: 0,
  p95: 0,
  p99: 0,
  p999: 0,
};

type Gauge = readonly [name: string, value: (view: ServerView) => number | string | undefined];

/** The gauges in Apache's order. Gauges without a value in this role are omitted. */
const GAUGES: readonly Gauge[] = [
  ['ephemerals_count', (view) => view.ephemeralCount],
  ['num_alive_connections', (view) => view.connectionCount],
  ['avg_latency', (view) => formatMean(view.latency.avgMs)],
  ['min_proposal_size', (view) => view.leader?.proposalSizes.min],
  ['outstanding_requests', (view) => view.outstandingRequests],
  ['znode_count', (view) => view.nodeCount],
  ['global_sessions', (view) => view.globalSessionCount],
  ['non_mtls_remote_conn_count', (view) => view.nonMtlsRemoteConnectionCount],
  ['last_client_response_size', (view) => view.clientResponseSizes.last],
  ['packets_sent', (view) => view.packetsSent],
  ['packets_received', (view) => view.packetsReceived],
  ['max_proposal_size', (view) => view.leader?.proposalSizes.max],
  ['max_client_response_size', (view) => view.clientResponseSizes.max],
  ['synced_followers', (view) => view.leader?.syncedFollowers],
  ['connection_drop_probability', (view) => formatJavaDouble(view.connectionDropProbability)],
  ['watch_count', (view) => view.watchCount],
  ['synced_non_voting_followers', (view) => view.leader?.syncedNonVotingFollowers],
  ['synced_observers', (view) => view.leader?.syncedObservers ?? view.quorum?.syncedObservers],
  ['auth_failed_count', (view) => view.authFailedCount],
  ['min_latency', (view) => view.latency.minMs],
  ['max_file_descriptor_count', (view) => view.maxFileCount],
  ['approximate_data_size', (view) => view.dataSize],
  ['open_file_descriptor_count', (view) => view.openFileCount],
  ['last_proposal_size', (view) => view.leader?.proposalSizes.last],
  ['pending_syncs', (view) => view.leader?.pendingSyncs],
  ['leader_uptime', (view) => view.leader?.leaderUptimeMs],
  ['local_sessions', (view) => view.localSessionCount],
  ['uptime', (view) => view.uptimeMs],
  ['max_latency', (view) => view.latency.maxMs],
  ['outstanding_tls_handshake', (view) => view.outstandingTlsHandshakes],
  ['learners', (view) => view.leader?.learners],
  ['min_client_response_size', (view) => view.clientResponseSizes.min],
  ['non_mtls_local_conn_count', (view) => view.nonMtlsLocalConnectionCount],
  ['quorum_size', (view) => view.quorum?.quorumSize],
];

type Put = (name: string, value: number | bigint | string | undefined) => void;

function render(view: ServerView): string {
  const lines: string[] = [];
  const put: Put = (name, value) => {
    if (value !== undefined) lines.push(`${PREFIX}${name}\t${value}\n`);
  };
  put('version', view.version);
  put('server_state', view.mode);
  put('peer_state', view.quorum?.peerState);
  put('observer_master_id', view.quorum?.observerMasterId);
  for (const [name, gauge] of GAUGES) put(name, gauge(view));
  for (const [name, value] of view.extraGauges ?? []) put(name, value);
  for (const name of COUNTERS) put(name, view.metrics.counters[name] ?? 0);
  for (const name of [...LATER_COUNTERS, ...TTL_COUNTERS, ...OPERATION_COUNTERS]) {
    put(name, view.metrics.counters[name]);
  }
  for (const family of COUNTER_SETS) {
    for (const [key, count] of inJavaMapOrder(view.metrics.counterSets?.[family] ?? new Map())) {
      put(`${key}_${family}`, count);
    }
  }
  putSummaries(view, put);
  return lines.join('');
}

function putSummaries({ metrics }: ServerView, put: Put): void {
  for (const name of BASIC_SUMMARIES) {
    putBasic(put, name, metrics.basicSummaries[name] ?? EMPTY_SUMMARY);
  }
  for (const name of LATER_BASIC_SUMMARIES) {
    const summary = metrics.basicSummaries[name];
    if (summary !== undefined) putBasic(put, name, summary);
  }
  for (const name of ADVANCED_SUMMARIES) {
    putAdvanced(put, name, metrics.advancedSummaries[name] ?? EMPTY_ADVANCED);
  }
  for (const family of BASIC_SUMMARY_SETS) {
    for (const [key, summary] of inJavaMapOrder(metrics.basicSummarySets?.[family] ?? new Map())) {
      putBasic(put, `${key}_${family}`, summary);
    }
  }
  for (const family of ADVANCED_SUMMARY_SETS) {
    for (const [key, summary] of inJavaMapOrder(
      metrics.advancedSummarySets?.[family] ?? new Map(),
    )) {
      putAdvanced(put, `${key}_${family}`, summary);
    }
  }
}

function putBasic(put: Put, name: string, { count, sum, min, max }: SummaryView): void {
  put(`avg_${name}`, formatMean(count === 0 ? 0 : sum / count));
  put(`min_${name}`, count === 0 ? 0 : min);
  put(`max_${name}`, count === 0 ? 0 : max);
  put(`cnt_${name}`, count);
  put(`sum_${name}`, sum);
}

function putAdvanced(put: Put, name: string, summary: AdvancedSummaryView): void {
  putBasic(put, name, summary);
  put(`p50_${name}`, summary.p50);
  put(`p95_${name}`, summary.p95);
  put(`p99_${name}`, summary.p99);
  put(`p999_${name}`, summary.p999);
}

export interface ParsedMntr {
  /** Every key in order, without `zk_` and with labels: `x{quantile="0.5"}`. */
  readonly values: ReadonlyMap<string, string>;
  /** The metrics provider of Apache's server that wrote it: names and numbers differ. */
  readonly dialect: 'default' | 'prometheus';
  readonly unknown: readonly string[];
}

function parse(text: string): ParsedMntr {
  const values = new Map<string, string>();
  const unknown: string[] = [];
  let isPrometheus = false;
  for (const line of linesOf(text)) {
    const tab = line.indexOf('\t');
    const key = tab > 0 && line.startsWith(PREFIX) ? line.slice(PREFIX.length, tab) : '';
    if (key !== '' && !key.includes(' ') && !key.includes('{')) {
      values.set(key, line.slice(tab + 1));
      continue;
    }
    // Labels may contain blanks, so the value starts after the last tab, or else the first blank.
    const match = /^([^\s{]+(?:\{[^}]*\})?)(\s)(.*)$/s.exec(line);
    if (match?.[1]?.startsWith(PREFIX)) {
      const [, , blank, value = ''] = match;
      values.set(match[1].slice(PREFIX.length), blank === '\t' ? value : value.trimStart());
      isPrometheus ||= match[1].includes('{');
    } else unknown.push(line);
  }
  return { values, dialect: isPrometheus ? 'prometheus' : 'default', unknown };
}

const ALIASES: Readonly<Record<string, readonly string[]>> = {
  learners: ['followers'],
};

/** By the key without `zk_`, or its name in Prometheus (`_total`). Undefined unless a number. */
export function metricOf({ values }: ParsedMntr, key: string): number | undefined {
  for (const name of [key, `${key}_total`, ...(ALIASES[key] ?? [])]) {
    const text = values.get(name);
    if (text !== undefined) return parseJavaNumber(text);
  }
  return undefined;
}

/** A part of a summary of either provider; computes `avg` if only count and sum exist. */
export function summaryPart(
  parsed: ParsedMntr,
  name: string,
  part: 'avg' | 'max' | 'cnt' | 'sum' | 'p50' | 'p95' | 'p99',
): number | undefined {
  const own = metricOf(parsed, `${part}_${name}`);
  if (own !== undefined) return own;
  const labeled = (suffix: string) => metricOf(parsed, `${name}${suffix}`);
  if (part === 'cnt') return labeled('_count');
  if (part === 'sum') return labeled('_sum');
  if (part === 'max') return undefined;
  if (part === 'avg') {
    const [sum, count] = [labeled('_sum'), labeled('_count')];
    return labeled('_avg') ?? (sum !== undefined && count ? sum / count : undefined);
  }
  const value = labeled(`{quantile="0.${part.slice(1).replace(/0$/, '')}"}`);
  return value === undefined || Number.isNaN(value) ? undefined : value;
}

export const mntr = servingWord<ParsedMntr>({
  word: 'mntr',
  summary: 'Print every metric of the server, one per line',
  render,
  parse,
});
