// A Grafana dashboard: the state of the ensemble, then one plot for each limit of the table.

import { type LimitChange, limitFor } from '../../ensemble/verdict/limits.js';
import type { Threshold } from '../../ensemble/verdict/threshold.js';
import { THRESHOLDS } from '../../ensemble/verdict/thresholds.js';
import { expressionOf } from './series.js';

const UNITS: Readonly<Record<Threshold['unit'], string>> = {
  '': 'short',
  ms: 'ms',
  'ms/s': 'ms',
  bytes: 'bytes',
  '%': 'percent',
  txns: 'short',
  days: 'd',
};

const WIDTH = 24;
/** Grafana substitutes the variable. */
const DATASOURCE = { type: 'prometheus', uid: '$datasource' };

interface Step {
  readonly color: string;
  readonly value: number | null;
}

/** The color from each value on. If low values are bad, green comes last. */
function stepsOf(threshold: Threshold, changes: readonly LimitChange[]): Step[] {
  const [warning, critical] = (['warning', 'critical'] as const).map((level) =>
    limitFor(threshold, level, undefined, changes),
  );
  const steps = (limits: readonly (readonly [string, number | undefined])[]): Step[] =>
    limits.flatMap(([color, value]) => (value === undefined ? [] : [{ color, value }]));
  if (threshold.bound === 'above') {
    const above = steps([
      ['yellow', warning],
      ['red', critical],
    ]);
    return [{ color: 'green', value: null }, ...above];
  }
  const least = critical === undefined ? 'yellow' : 'red';
  const below = steps([
    ['yellow', critical],
    ['green', warning],
  ]);
  const isLimited = warning !== undefined || critical !== undefined;
  return [{ color: isLimited ? least : 'green', value: null }, ...below];
}

interface Place {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

function panel(
  id: number,
  type: string,
  title: string,
  gridPos: Place,
  query: { readonly expr: string; readonly legend: string },
  more: Readonly<Record<string, unknown>>,
) {
  const { expr, legend } = query;
  const targets = [{ refId: 'A', datasource: DATASOURCE, expr, legendFormat: legend }];
  return { id, type, title, datasource: DATASOURCE, gridPos, targets, ...more };
}

const VERDICTS = {
  '0': { text: 'HEALTHY', color: 'green' },
  '1': { text: 'WARNING', color: 'yellow' },
  '2': { text: 'CRITICAL', color: 'red' },
  '3': { text: 'UNKNOWN', color: 'purple' },
};

function valueMapping(options: Readonly<Record<string, { text: string; color: string }>>) {
  return { fieldConfig: { defaults: { mappings: [{ type: 'value', options }] }, overrides: [] } };
}

const YES_NO = { '0': { text: 'no', color: 'red' }, '1': { text: 'yes', color: 'green' } };

function statePanels() {
  const member = (expr: string) => ({ expr, legend: '{{server}}' });
  return [
    panel(
      1,
      'stat',
      'Verdict',
      { x: 0, y: 0, w: 4, h: 5 },
      { expr: 'zkops_verdict', legend: '' },
      {
        ...valueMapping(VERDICTS),
      },
    ),
    panel(2, 'stat', 'Serving', { x: 4, y: 0, w: 10, h: 5 }, member('zk_serving'), {
      ...valueMapping(YES_NO),
    }),
    panel(
      3,
      'stat',
      'Role',
      { x: 14, y: 0, w: 10, h: 5 },
      { expr: 'zk_role == 1', legend: '{{server}} {{role}}' },
      { options: { textMode: 'name' } },
    ),
    panel(
      4,
      'table',
      'Problems',
      { x: 0, y: 5, w: WIDTH, h: 6 },
      { expr: 'zkops_problem', legend: '' },
      { options: { showHeader: true } },
    ),
  ];
}

export function dashboardText(changes: readonly LimitChange[]): string {
  const state = statePanels();
  const plots = THRESHOLDS.map((threshold, at) =>
    panel(
      state.length + 1 + at,
      'timeseries',
      threshold.name,
      { x: (at % 3) * 8, y: 11 + Math.floor(at / 3) * 8, w: 8, h: 8 },
      { expr: expressionOf(threshold.reading), legend: '{{server}}' },
      {
        description: `${threshold.label}. ${threshold.advice}. Limits: ${threshold.source}.`,
        fieldConfig: {
          defaults: {
            unit: UNITS[threshold.unit],
            custom: { thresholdsStyle: { mode: 'line' } },
            thresholds: { mode: 'absolute', steps: stepsOf(threshold, changes) },
          },
          overrides: [],
        },
      },
    ),
  );
  const dashboard = {
    title: 'ZooKeeper',
    uid: 'zkops',
    tags: ['zookeeper'],
    schemaVersion: 39,
    editable: true,
    time: { from: 'now-6h', to: 'now' },
    refresh: '30s',
    templating: {
      list: [{ name: 'datasource', type: 'datasource', query: 'prometheus', label: 'Prometheus' }],
    },
    panels: [...state, ...plots],
  };
  return `${JSON.stringify(dashboard, null, 2)}\n`;
}
