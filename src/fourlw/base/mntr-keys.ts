// The metric names of mntr without the prefix `zk_`, in the order of Apache's 3.8. The order is
// that of the buckets of Java's ConcurrentHashMap, and was copied from answers of standalone
// servers and leaders. A metric without a value is printed as zero.

/** Counters grow until `srst` or a restart. */
export const COUNTERS = [
  'proposal_count',
  'watch_bytes',
  'outstanding_changes_removed',
  'throttled_ops',
  'stale_requests_dropped',
  'large_requests_rejected',
  'insecure_admin_count',
  'connection_rejected',
  'cnxn_closed_without_zk_server_running',
  'sessionless_connections_expired',
  'looking_count',
  'dead_watchers_queued',
  'stale_requests',
  'connection_drop_count',
  'learner_proposal_received_count',
  'digest_mismatches_count',
  'dead_watchers_cleared',
  'response_packet_cache_hits',
  'bytes_received_count',
  'add_dead_watcher_stall_time',
  'request_throttle_wait_count',
  'requests_not_forwarded_to_commit_processor',
  'response_packet_cache_misses',
  'ensemble_auth_success',
  'prep_processor_request_queued',
  'learner_commit_received_count',
  'stale_replies',
  'connection_request_count',
  'response_bytes',
  'ensemble_auth_fail',
  'diff_count',
  'response_packet_get_children_cache_misses',
  'connection_revalidate_count',
  'quit_leading_due_to_disloyal_voter',
  'snap_count',
  'unrecoverable_error_count',
  'unsuccessful_handshake',
  'commit_count',
  'stale_sessions_expired',
  'response_packet_get_children_cache_hits',
  'sync_processor_request_queued',
  'outstanding_changes_queued',
  'request_commit_queued',
  'ensemble_auth_skip',
  'skip_learner_request_to_next_processor_count',
  'tls_handshake_exceeded',
  'revalidate_count',
] as const;

/** Counters of 3.9, which it prints after those of 3.8. */
export const LATER_COUNTERS = [
  'snapshot_error_count',
  'snapshot_rate_limited_count',
  'restore_error_count',
  'restore_rate_limited_count',
] as const;

/** Counters of requests by type, which 3.10 adds. */
export const OPERATION_COUNTERS = [
  'op_count_total',
  'op_count_add_watch',
  'op_count_check',
  'op_count_check_watches',
  'op_count_close_session',
  'op_count_create',
  'op_count_create_session',
  'op_count_delete',
  'op_count_exists',
  'op_count_get_acl',
  'op_count_get_all_children_number',
  'op_count_get_children',
  'op_count_get_data',
  'op_count_get_ephemerals',
  'op_count_multi',
  'op_count_multi_read',
  'op_count_ping',
  'op_count_reconfig',
  'op_count_remove_watches',
  'op_count_set_acl',
  'op_count_set_data',
  'op_count_set_watches',
  'op_count_sync',
  'op_count_who_am_i',
] as const;

/** The other counters of 3.10. */
export const TTL_COUNTERS = ['ttl_node_created_count', 'ttl_node_deleted_count'] as const;

/**
 * Families of counters, printed as `<key>_<family>`. The first one is in Apache's server since
 * 3.8.6. The keys of the second one are the names of limits in docs/limits.md.
 */
export const COUNTER_SETS = ['quota_exceeded_error_per_namespace', 'limit_exceeded_count'] as const;

/** Summaries of five lines: avg, min, max, cnt, sum. */
export const BASIC_SUMMARIES = [
  'socket_closing_time',
  'proposal_process_time',
  'leader_unavailable_time',
  'node_created_watch_count',
  'session_queues_drained',
  'write_commit_proc_req_queued',
  'connection_token_deficit',
  'read_commit_proc_req_queued',
  'node_deleted_watch_count',
  'startup_txns_load_time',
  'sync_processor_queue_size',
  'follower_sync_time',
  'prep_processor_queue_size',
  'fsynctime',
  'inflight_snap_count',
  'reads_issued_from_session_queue',
  'learner_request_processor_queue_size',
  'snapshottime',
  'unavailable_time',
  'startup_txns_loaded',
  'reads_after_write_in_session_queue',
  'requests_in_session_queue',
  'write_commit_proc_issued',
  'prep_process_time',
  'pending_session_queue_size',
  'time_waiting_empty_pool_in_commit_processor_read_ms',
  'commit_process_time',
  'dbinittime',
  'inflight_diff_count',
  'netty_queued_buffer_capacity',
  'election_time',
  'commit_commit_proc_req_queued',
  'sync_processor_batch_size',
  'node_children_watch_count',
  'write_batch_time_in_commit_processor',
  'read_commit_proc_issued',
  'concurrent_request_processing_in_commit_processor',
  'observer_sync_time',
  'node_changed_watch_count',
  'sync_process_time',
  'startup_snap_load_time',
] as const;

export const LATER_BASIC_SUMMARIES = ['restore_time'] as const;

/** Summaries of nine lines: the five, then p50, p95, p99, p999. */
export const ADVANCED_SUMMARIES = [
  'prep_processor_queue_time_ms',
  'jvm_pause_time_ms',
  'close_session_prep_time',
  'read_commitproc_time_ms',
  'updatelatency',
  'local_write_committed_time_ms',
  'request_throttle_queue_time_ms',
  'readlatency',
  'quorum_ack_latency',
  'om_commit_process_time_ms',
  'read_final_proc_time_ms',
  'commit_propagation_latency',
  'dead_watchers_cleaner_latency',
  'write_final_proc_time_ms',
  'proposal_ack_creation_latency',
  'proposal_latency',
  'om_proposal_process_time_ms',
  'sync_processor_queue_and_flush_time_ms',
  'propagation_latency',
  'server_write_committed_time_ms',
  'sync_processor_queue_time_ms',
  'sync_processor_queue_flush_time_ms',
  'write_commitproc_time_ms',
] as const;

/** Families of basic summaries, printed as `<key>_<family>`. */
export const BASIC_SUMMARY_SETS = [
  'learner_handler_qp_size',
  'read_per_namespace',
  'write_per_namespace',
] as const;

export const ADVANCED_SUMMARY_SETS = ['learner_handler_qp_time_ms', 'ack_latency'] as const;

export type CounterSetName = (typeof COUNTER_SETS)[number];
export type OperationCounterName = (typeof OPERATION_COUNTERS)[number];
export type CounterName =
  | (typeof COUNTERS | typeof LATER_COUNTERS | typeof TTL_COUNTERS)[number]
  | OperationCounterName;
export type BasicSummaryName = (typeof BASIC_SUMMARIES | typeof LATER_BASIC_SUMMARIES)[number];
export type AdvancedSummaryName = (typeof ADVANCED_SUMMARIES)[number];
export type BasicSummarySetName = (typeof BASIC_SUMMARY_SETS)[number];
export type AdvancedSummarySetName = (typeof ADVANCED_SUMMARY_SETS)[number];
