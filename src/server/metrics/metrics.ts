import {
  type AdvancedSummaryName,
  type BasicSummaryName,
  type CounterName,
  LATER_BASIC_SUMMARIES,
  LATER_COUNTERS,
  type OperationCounterName,
  TTL_COUNTERS,
} from '../../fourlw/base/mntr-keys.js';
import type {
  AdvancedSummaryView,
  MetricsView,
  SummaryView,
} from '../../fourlw/base/server-view.js';
import { OpCode } from '../../protocol/op-code.js';
import type { LimitName } from '../limits/limits.js';
import { Load } from './load.js';
import { NamespaceSummaries, valueFor } from './namespaces.js';
import { PercentileSummary, recordSince, Summary } from './summary.js';

/**
 * Counters besides those of `srvr`, under mntr's names without `zk_` (ServerMetrics). Counters for
 * every request are fields. Metrics that do not apply stay zero, as Apache prints them.
 */

/** A Stat counts as read with the znode. */
export const STAT_SIZE = 68;

/** Metrics that Apache has since 3.9 and 3.10; always printed here, even if they stay zero. */
const NEVER_COUNTED = Object.fromEntries(
  [...LATER_COUNTERS, ...TTL_COUNTERS].map((name) => [name, 0]),
);
const NEVER_RECORDED = Object.fromEntries(
  LATER_BASIC_SUMMARIES.map((name) => [name, new Summary()]),
);

export class Metrics {
  /** Milliseconds from the arrival of a request to its reply. */
  readonly readLatency = new PercentileSummary();
  readonly updateLatency = new PercentileSummary();
  /** Milliseconds from the time in a txn to its application here. */
  readonly propagationLatency = new PercentileSummary();
  /** Milliseconds from the time in a txn until a learner has it, and until it may commit it. */
  readonly proposalLatency = new PercentileSummary();
  readonly commitLatency = new PercentileSummary();
  /** Milliseconds from the time in a txn to the ack of this server, and to that of a quorum. */
  readonly ackCreationLatency = new PercentileSummary();
  readonly quorumAckLatency = new PercentileSummary();
  /** Milliseconds to write a batch of txns to disk, and including the wait for the previous one. */
  readonly flushTime = new PercentileSummary();
  readonly queueAndFlushTime = new PercentileSummary();
  /** Milliseconds that a batch waited for the sync before its own. */
  readonly syncQueueTime = new PercentileSummary();
  private lastSyncMs = 0;
  /** Milliseconds by which the event loop was late for its clock. */
  readonly pauseTime = new PercentileSummary();
  /** Milliseconds that a request waited for room in the pipeline. */
  readonly throttleQueueTime = new PercentileSummary();
  readonly operations = new OperationCounts();
  readonly load = new Load();
  readonly reads = new NamespaceSummaries();
  readonly writes = new NamespaceSummaries();
  responseBytes = 0;
  bytesReceived = 0;
  /** Pending changes of znodes by writes in flight: queued and settled ones. */
  changesQueued = 0;
  changesRemoved = 0;
  private readonly limitsExceeded = new Map<string, number>();
  private readonly quotaErrors = new Map<string, number>();
  private readonly ackLatencies = new Map<string, PercentileSummary>();
  private readonly counters = new Map<CounterName, number>();
  private readonly summaries = new Map<BasicSummaryName, Summary>();

  count(name: CounterName, by = 1): void {
    this.counters.set(name, (this.counters.get(name) ?? 0) + by);
  }

  counted(name: CounterName): number {
    return this.counters.get(name) ?? 0;
  }

  /** enforceQuota refused a write below this top-level znode. */
  countQuotaError(namespace: string): void {
    const count = valueFor(this.quotaErrors, namespace, () => 0);
    if (count !== undefined) this.quotaErrors.set(namespace, count + 1);
  }

  countLimit(name: LimitName): void {
    this.limitsExceeded.set(name, (this.limitsExceeded.get(name) ?? 0) + 1);
  }

  record(name: BasicSummaryName, value: number): void {
    let summary = this.summaries.get(name);
    if (summary === undefined) {
      summary = new Summary();
      this.summaries.set(name, summary);
    }
    summary.record(value);
  }

  /** @param ms duration of a sync of the log */
  synced(ms: number): void {
    this.lastSyncMs = ms;
    this.flushTime.record(ms);
  }

  /** A batch is on disk, by the last sync. @param ms since it was ready */
  flushed(ms: number): void {
    this.queueAndFlushTime.record(ms);
    this.syncQueueTime.record(Math.max(0, ms - this.lastSyncMs));
  }

  ackCreated(wallMs: number, time: bigint): void {
    recordSince(this.ackCreationLatency, wallMs, time);
  }

  /** Milliseconds from the time in a txn to the ack of that learner. */
  recordAck(sid: number, latencyMs: number): void {
    const key = `${sid}`;
    let summary = this.ackLatencies.get(key);
    if (summary === undefined) {
      summary = new PercentileSummary();
      this.ackLatencies.set(key, summary);
    }
    summary.record(latencyMs);
  }

  /** Returns live objects: read them at once. */
  view(): MetricsView {
    return {
      counters: {
        ...NEVER_COUNTED,
        ...(Object.fromEntries(this.counters) as Partial<Record<CounterName, number>>),
        ...this.operations.view(),
        response_bytes: this.responseBytes,
        bytes_received_count: this.bytesReceived,
        outstanding_changes_queued: this.changesQueued,
        outstanding_changes_removed: this.changesRemoved,
      },
      counterSets: {
        quota_exceeded_error_per_namespace: this.quotaErrors,
        limit_exceeded_count: this.limitsExceeded,
      },
      basicSummaries: {
        ...NEVER_RECORDED,
        ...(Object.fromEntries(this.summaries) as Partial<Record<BasicSummaryName, SummaryView>>),
      },
      advancedSummaries: {
        readlatency: this.readLatency,
        updatelatency: this.updateLatency,
        propagation_latency: this.propagationLatency,
        proposal_latency: this.proposalLatency,
        commit_propagation_latency: this.commitLatency,
        proposal_ack_creation_latency: this.ackCreationLatency,
        quorum_ack_latency: this.quorumAckLatency,
        sync_processor_queue_flush_time_ms: this.flushTime,
        sync_processor_queue_time_ms: this.syncQueueTime,
        jvm_pause_time_ms: this.pauseTime,
        // From the arrival of a request to its commit and answer, which are one step here.
        write_commitproc_time_ms: this.updateLatency,
        local_write_committed_time_ms: this.updateLatency,
        read_commitproc_time_ms: this.readLatency,
        sync_processor_queue_and_flush_time_ms: this.queueAndFlushTime,
        request_throttle_queue_time_ms: this.throttleQueueTime,
      } satisfies Partial<Record<AdvancedSummaryName, AdvancedSummaryView>>,
      basicSummarySets: {
        read_per_namespace: this.reads.byName,
        write_per_namespace: this.writes.byName,
      },
      advancedSummarySets: { ack_latency: this.ackLatencies },
    };
  }

  reset(): void {
    for (const summary of [
      this.readLatency,
      this.updateLatency,
      this.propagationLatency,
      this.proposalLatency,
      this.commitLatency,
      this.ackCreationLatency,
      this.quorumAckLatency,
      this.flushTime,
      this.queueAndFlushTime,
      this.syncQueueTime,
      this.pauseTime,
      this.throttleQueueTime,
      this.reads,
      this.writes,
      this.operations,
      this.load,
    ]) {
      summary.reset();
    }
    this.responseBytes = 0;
    this.bytesReceived = 0;
    this.changesQueued = 0;
    this.changesRemoved = 0;
    this.counters.clear();
    this.quotaErrors.clear();
    this.limitsExceeded.clear();
    this.summaries.clear();
    this.ackLatencies.clear();
  }
}

/** The lowest request type is closeSession, -11. */
const FIRST = OpCode.closeSession;
const TYPES = OpCode.whoAmI - FIRST + 1;

/** Two types of one counter differ only in their requests, as in FinalRequestProcessor of 3.10. */
const TYPES_OF: Readonly<
  Record<Exclude<OperationCounterName, 'op_count_total'>, readonly OpCode[]>
> = {
  op_count_add_watch: [OpCode.addWatch],
  op_count_check: [OpCode.check],
  op_count_check_watches: [OpCode.checkWatches],
  op_count_close_session: [OpCode.closeSession],
  op_count_create: [OpCode.create, OpCode.create2, OpCode.createContainer, OpCode.createTTL],
  op_count_create_session: [OpCode.createSession],
  op_count_delete: [OpCode.delete, OpCode.deleteContainer],
  op_count_exists: [OpCode.exists],
  op_count_get_acl: [OpCode.getACL],
  op_count_get_all_children_number: [OpCode.getAllChildrenNumber],
  op_count_get_children: [OpCode.getChildren, OpCode.getChildren2],
  op_count_get_data: [OpCode.getData],
  op_count_get_ephemerals: [OpCode.getEphemerals],
  op_count_multi: [OpCode.multi],
  op_count_multi_read: [OpCode.multiRead],
  op_count_ping: [OpCode.ping],
  op_count_reconfig: [OpCode.reconfig],
  op_count_remove_watches: [OpCode.removeWatches],
  op_count_set_acl: [OpCode.setACL],
  op_count_set_data: [OpCode.setData],
  op_count_set_watches: [OpCode.setWatches, OpCode.setWatches2],
  op_count_sync: [OpCode.sync],
  op_count_who_am_i: [OpCode.whoAmI],
};

/** By type. A refused write does not count, a read always does. A multi counts as one. */
class OperationCounts {
  private readonly byType = new Float64Array(TYPES);

  /** @param type others than those of a client's request count nowhere */
  count(type: number): void {
    const at = type - FIRST;
    if (at >= 0 && at < TYPES) this.byType[at] = (this.byType[at] ?? 0) + 1;
  }

  view(): Partial<Record<OperationCounterName, number>> {
    const counters = Object.entries(TYPES_OF).map(([name, types]) => {
      const count = types.reduce<number>((sum, type) => sum + (this.byType[type - FIRST] ?? 0), 0);
      return [name, count] as const;
    });
    const total = counters.reduce((sum, [, count]) => sum + count, 0);
    return { ...Object.fromEntries(counters), op_count_total: total };
  }

  reset(): void {
    this.byType.fill(0);
  }
}
