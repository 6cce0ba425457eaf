import { once } from 'node:events';
import { parseListenAddress } from '../../ensemble/listen-address.js';
import { concludeFrom } from '../../ensemble/verdict/blame.js';
import { readLimits } from '../../ensemble/verdict/limits-file.js';
import { fileOption, WAIT } from '../../machine/declaration.js';
import { usageError } from '../../program/command-error.js';
import type { Report, Row } from '../../results/result.js';
import { TIME_OPTIONS } from '../calls/options.js';
import type { Task, TaskCall } from '../calls/task.js';
import { timeoutOf } from '../probes/ask-members.js';
import { dashboardText } from './dashboard.js';
import { rulesText } from './rules.js';
import { Scraper } from './scraper.js';
import { serveMetrics } from './serve.js';

const DEFAULT_LISTEN = '127.0.0.1:9141';
const DEFAULT_MIN_AGE_MS = 1000;

function documentOf(text: string): Report {
  const verdict = concludeFrom([], '');
  return { columns: [], rows: [], document: text, finish: () => ({ verdict }) };
}

function listenAddress(call: TaskCall): { readonly host: string; readonly port: number } {
  try {
    return parseListenAddress(call.text('listen') ?? DEFAULT_LISTEN);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw usageError(`--listen: ${why}`, undefined, { cause });
  }
}

async function exporter(call: TaskCall): Promise<Report> {
  const file = call.text('limits');
  const limits = readLimits(file === undefined ? {} : { limits: file });
  if (call.has('rules')) return documentOf(rulesText(limits));
  if (call.has('dashboard')) return documentOf(dashboardText(limits));
  const scraper = new Scraper(call, {
    limits,
    timeoutMs: timeoutOf(call),
    deadlineMs: call.number('deadline') ?? 10_000,
    minAgeMs: call.number('min-age') ?? DEFAULT_MIN_AGE_MS,
    hasOldNames: call.has('old-names'),
  });
  if (call.has('once')) return documentOf(await scraper.scrape());
  if (call.text('out') !== undefined) throw usageError('--out: needs --once');
  const endpoint = await serveMetrics(listenAddress(call), () => scraper.scrape());
  async function* rows(): AsyncGenerator<Row[], void, undefined> {
    try {
      yield [[endpoint.url, call.members.length]];
      if (!call.signal.aborted) await once(call.signal, 'abort');
    } finally {
      await endpoint.close();
    }
  }
  return {
    columns: [{ title: 'LISTENING AT', key: 'url' }, { key: 'members' }],
    rows: rows(),
    isEndless: true,
    isPlain: true,
    isService: true,
    finish: () => ({ verdict: concludeFrom([], 'stopped') }),
  };
}

export const exporterTask: Task = {
  name: 'exporter',
  options: {
    listen: {
      kind: 'text',
      valueName: 'HOST:PORT',
      fallback: DEFAULT_LISTEN,
      summary: 'address and port for /metrics',
    },
    once: { summary: 'print the metrics and exit' },
    rules: { summary: 'print alert rules for Prometheus, and query no member' },
    dashboard: { summary: 'print a dashboard for Grafana, and query no member' },
    limits: fileOption('file of limits: [warn] and [crit], name = limit'),
    'old-names': { summary: "also serve the metrics under mntr's own names" },
    'min-age': {
      ...WAIT,
      valueName: 'TIME',
      fallback: DEFAULT_MIN_AGE_MS,
      summary: 'minimum time between two queries',
    },
    ...TIME_OPTIONS,
  },
  hasMembers: true,
  changesEnsemble: false,
  isListing: true,
  run: exporter,
};
