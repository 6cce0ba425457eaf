// One alert for each limit of the table, and for each role with a limit of its own.

import { inUnit } from '../../ensemble/verdict/alarms.js';
import type { FindingName } from '../../ensemble/verdict/finding-name.js';
import { type LimitChange, limitFor } from '../../ensemble/verdict/limits.js';
import type { Threshold, ThresholdRole } from '../../ensemble/verdict/threshold.js';
import { THRESHOLDS } from '../../ensemble/verdict/thresholds.js';
import { expressionOf, isEvent } from './series.js';

export interface AlertRule {
  readonly alert: string;
  readonly expr: string;
  /** How long the condition must hold. */
  readonly for: string;
  readonly severity: 'warning' | 'critical';
  /** Distinguishes rules of one limit for several roles: Prometheus refuses duplicates. */
  readonly roles?: string;
  readonly summary: string;
  readonly description: string;
  /** The entry of docs/runbook.md, if there is only one. */
  readonly runbook?: FindingName;
}

const ROLES: readonly ThresholdRole[] = ['leader', 'follower', 'observer', 'standalone'];

/** From the verdict of the exporter. */
const ENSEMBLE: readonly AlertRule[] = [
  {
    alert: 'ZooKeeperCritical',
    expr: 'zkops_verdict == 2',
    for: '1m',
    severity: 'critical',
    summary:
      'The ensemble has no quorum, no leader, two leaders, or a value beyond its critical limit.',
    description:
      'zkops health names the member and the reason; zkops_problem has the same as series.',
  },
  {
    alert: 'ZooKeeperWarning',
    expr: 'zkops_verdict == 1',
    for: '15m',
    severity: 'warning',
    summary: 'The ensemble serves, but has warnings.',
    description:
      'zkops health names the member and the reason; zkops_problem has the same as series.',
  },
  {
    alert: 'ZooKeeperCannotJudge',
    expr: 'zkops_verdict == 3 or absent(zkops_verdict)',
    for: '15m',
    severity: 'warning',
    summary: 'The state of the ensemble is unknown.',
    description:
      'Check that the exporter is up and scraped, and that the whitelists of the members allow mntr.',
  },
  {
    alert: 'ZooKeeperMemberDown',
    expr: 'zk_up == 0',
    for: '5m',
    severity: 'warning',
    summary: '{{ $labels.server }} does not answer.',
    description: 'zkops_error has the reason.',
  },
  {
    alert: 'ZooKeeperMemberNotServing',
    expr: 'zk_up == 1 and zk_serving == 0',
    for: '5m',
    severity: 'warning',
    summary: '{{ $labels.server }} answers, but serves no requests.',
    description: 'It is starting, electing, read-only or without a quorum: read its log.',
    runbook: 'member:not-serving',
  },
  {
    alert: 'ZooKeeperTwoLeaders',
    expr: 'sum(zk_role{role="leader"}) > 1',
    for: '1m',
    severity: 'critical',
    summary: 'More than one member leads.',
    description:
      'Check for two ensembles in one list, then for a network partition between the members.',
    runbook: 'two-leaders',
  },
];

/** `outstanding_requests` -> `ZooKeeperOutstandingRequests` */
function alertName(name: string): string {
  const words = name.split('_').map((word) => word.charAt(0).toUpperCase() + word.slice(1));
  return `ZooKeeper${words.join('')}`;
}

/** Most limits are the same for all roles. */
function rolesByLimit(
  threshold: Threshold,
  level: 'warning' | 'critical',
  changes: readonly LimitChange[],
): Map<number, ThresholdRole[]> {
  const groups = new Map<number, ThresholdRole[]>();
  for (const role of threshold.roles ?? ROLES) {
    const limit = limitFor(threshold, level, role, changes);
    if (limit !== undefined) groups.set(limit, [...(groups.get(limit) ?? []), role]);
  }
  return groups;
}

function limitRules(threshold: Threshold, changes: readonly LimitChange[]): AlertRule[] {
  const { name, reading, bound, label, advice, source } = threshold;
  const sign = bound === 'above' ? '>' : '<';
  return (['warning', 'critical'] as const).flatMap((severity) => {
    const groups = rolesByLimit(threshold, severity, changes);
    return [...groups].map(([limit, roles]): AlertRule => {
      const isAll = roles.length === ROLES.length;
      const only = isAll ? '' : ` and on (server) zk_role{role=~"${roles.join('|')}"} == 1`;
      return {
        alert: alertName(name),
        expr: `${expressionOf(reading)} ${sign} ${limit}${only}`,
        for: isEvent(reading) ? '0m' : '5m',
        severity,
        ...(groups.size === 1 ? {} : { roles: roles.join(' ') }),
        summary: `{{ $labels.server }}: ${label}: {{ $value | humanize }}`,
        description: `${bound} the limit of ${inUnit(limit, threshold)} (${name}, ${source}): ${advice}.`,
        runbook: `limit:${name}`,
      };
    });
  });
}

export function alertRules(changes: readonly LimitChange[]): AlertRule[] {
  return [...ENSEMBLE, ...THRESHOLDS.flatMap((threshold) => limitRules(threshold, changes))];
}

export function rulesText(changes: readonly LimitChange[]): string {
  // A JSON string is a valid YAML string.
  const quoted = (text: string): string => JSON.stringify(text);
  const rules = alertRules(changes).map(
    (rule) => `      - alert: ${rule.alert}
        expr: ${quoted(rule.expr)}
        for: ${rule.for}
        labels:
          severity: ${rule.severity}
${rule.roles === undefined ? '' : `          roles: ${quoted(rule.roles)}\n`}        annotations:
          summary: ${quoted(rule.summary)}
          description: ${quoted(rule.description)}
${rule.runbook === undefined ? '' : `          runbook: ${quoted(rule.runbook)}\n`}`,
  );
  return `# Written by zkops exporter --rules, from the limits that zkops check --explain lists.
groups:
  - name: zookeeper
    rules:
${rules.join('')}`;
}
