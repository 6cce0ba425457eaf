import { getActiveResourcesInfo, memoryUsage } from 'node:process';
import type { ServerView } from '../../../fourlw/base/server-view.js';
import type { StateReport } from '../log/state-report.js';

export function stateReportOf(view: ServerView): StateReport {
  const waitsFor: Record<string, number> = {};
  for (const name of getActiveResourcesInfo()) waitsFor[name] = (waitsFor[name] ?? 0) + 1;
  return {
    kind: 'state',
    mode: view.isServing ? view.mode : null,
    uptimeMs: view.uptimeMs,
    lastZxid: view.lastProcessedZxid,
    connections: view.connectionCount,
    sessions: view.globalSessionCount + view.localSessionCount,
    outstanding: view.outstandingRequests,
    znodes: view.nodeCount,
    watches: view.watchCount,
    ephemerals: view.ephemeralCount,
    openFiles: view.openFileCount,
    memory: { ...memoryUsage() },
    waitsFor,
  };
}
