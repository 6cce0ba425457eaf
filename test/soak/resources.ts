/** The resources of a server process, from its metrics and the system. */
import { readdirSync, readFileSync } from 'node:fs';

/** One reading. Memory in MiB, everything else a count. */
export interface Resources {
  readonly rss: number;
  readonly heap: number;
  /** Buffers and other memory outside of the heap. */
  readonly external: number;
  readonly fds: number;
  readonly sockets: number;
  readonly timers: number;
  readonly watches: number;
  readonly sessions: number;
  readonly ephemerals: number;
  readonly znodes: number;
}

export const RESOURCE_NAMES = [
  'rss',
  'heap',
  'external',
  'fds',
  'sockets',
  'timers',
  'watches',
  'sessions',
  'ephemerals',
  'znodes',
] as const satisfies readonly (keyof Resources)[];

const MIB = 1024 * 1024;

/**
 * Reads the current resources of a process.
 * @param port its port for Prometheus metrics
 * @throws Error if it does not answer
 */
export async function readResources(pid: number, port: number): Promise<Resources> {
  const response = await fetch(`http://127.0.0.1:${port}/metrics`);
  const text = await response.text();
  const sum = (name: string, label = ''): number => {
    let total = 0;
    for (const line of text.split('\n')) {
      const isMeant = line.startsWith(`${name} `) || line.startsWith(`${name}{`);
      if (isMeant && line.includes(label)) total += Number(line.slice(line.lastIndexOf(' ') + 1));
    }
    return total;
  };
  const links = fileDescriptors(pid);
  return {
    rss: Math.round(residentBytes(pid) / MIB),
    heap: Math.round(sum('nodejs_heap_size_used_bytes') / MIB),
    external: Math.round(sum('nodejs_external_memory_bytes') / MIB),
    fds: links.length,
    sockets: sum('nodejs_active_resources', 'type="TCPSocketWrap"'),
    timers: sum('nodejs_active_resources', 'type="Timeout"'),
    watches: sum('watch_count'),
    sessions: sum('global_sessions'),
    ephemerals: sum('ephemerals_count'),
    znodes: sum('znode_count'),
  };
}

function residentBytes(pid: number): number {
  const line = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
  return Number(line?.[1] ?? 0) * 1024;
}

function fileDescriptors(pid: number): string[] {
  return readdirSync(`/proc/${pid}/fd`);
}
