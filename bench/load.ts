/**
 * Puts a load on a server over raw sockets. It encodes requests once, and only counts and times
 * replies, so that a generator on one core keeps a fast server busy. Every connection keeps
 * `inFlight` requests in flight: each reply leads to a new request at the end of the turn.
 */
import type { ConnectionOptions } from 'node:tls';
import type { OutputArchive } from '../src/jute/output-archive.js';
import { LoadConnection } from './load-connection.js';
import { requestWriter, writeCreate } from './load-requests.js';

/** `mix` is gets and sets. */
export type LoadOp = 'get' | 'exists' | 'getChildren' | 'set' | 'create' | 'mix';

export interface LoadOptions {
  /** One server or several; the connections are distributed round robin. */
  readonly port: number | readonly number[];
  readonly op: LoadOp;
  readonly connections: number;
  readonly inFlight: number;
  /** All requests without the warm-up. */
  readonly count: number;
  readonly warmUp: number;
  /** Bytes of data of set and create. */
  readonly size: number;
  /** The maximum time of the run. */
  readonly maxSeconds: number;
  /** The parent for creates; a new one for each run. */
  readonly parent: string;
  /** The share of gets in a `mix`, from 0 to 1. */
  readonly readShare?: number;
  /** For a port with TLS. */
  readonly tls?: ConnectionOptions;
  /** The znode of each request; `PARENT/node` by default, and a new one for a create. */
  readonly pathOf?: () => string;
}

export interface LoadResult {
  readonly opsPerSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
  readonly done: number;
  readonly errors: number;
}

/** Creates the parent, and the znode for reads and sets. */
export async function prepareLoad(port: number, parent: string, size: number): Promise<void> {
  const [client, data] = [await LoadConnection.open(port), Buffer.alloc(size, 0x78)];
  for (const path of [parent, `${parent}/node`]) client.send((out) => writeCreate(out, path, data));
  await client.flushed(2);
  await client.close();
}

export async function runLoad(options: LoadOptions): Promise<LoadResult> {
  const ports = [options.port].flat();
  const clients = await Promise.all(
    Array.from({ length: options.connections }, (_, i) =>
      LoadConnection.open(ports[i % ports.length] ?? 0, options.tls),
    ),
  );
  const run = new LoadRun(options, clients);
  try {
    return await run.finished();
  } finally {
    await Promise.all(clients.map((client) => client.close()));
  }
}

class LoadRun {
  private readonly options: LoadOptions;
  private readonly write: (out: OutputArchive) => void;
  private readonly latencies: Float64Array;
  private readonly clients: readonly LoadConnection[];
  private sent = 0;
  private received = 0;
  private errors = 0;
  private startedAt = 0;
  private endedAt = 0;
  private isOver = false;

  constructor(options: LoadOptions, clients: readonly LoadConnection[]) {
    this.options = options;
    this.clients = clients;
    this.latencies = new Float64Array(options.count);
    this.write = requestWriter(options);
  }

  finished(): Promise<LoadResult> {
    const { inFlight, maxSeconds } = this.options;
    return new Promise((resolve) => {
      const end = (): void => {
        if (this.isOver) return;
        this.isOver = true;
        clearTimeout(timer);
        this.endedAt = performance.now();
        resolve(this.result());
      };
      const timer = setTimeout(end, maxSeconds * 1000);
      for (const client of this.clients) {
        client.onReply = (latencyMs, err) => {
          this.count(latencyMs, err);
          if (this.received === this.options.warmUp + this.options.count) end();
          else if (!this.isOver) this.sendOne(client);
        };
        for (let i = 0; i < inFlight; i++) this.sendOne(client);
      }
    });
  }

  private sendOne(client: LoadConnection): void {
    if (this.sent >= this.options.warmUp + this.options.count) return;
    this.sent++;
    client.send(this.write);
  }

  private count(latencyMs: number, err: number): void {
    this.received++;
    if (this.received === this.options.warmUp + 1) this.startedAt = performance.now();
    const at = this.received - this.options.warmUp - 1;
    if (at < 0) return;
    if (err !== 0) this.errors++;
    this.latencies[at] = latencyMs;
  }

  private result(): LoadResult {
    const done = Math.max(0, this.received - this.options.warmUp);
    const sorted = this.latencies.subarray(0, done).sort();
    const at = (share: number): number => sorted[Math.floor((done - 1) * share)] ?? Number.NaN;
    return {
      opsPerSecond: (done / (this.endedAt - this.startedAt)) * 1000,
      p50Ms: at(0.5),
      p99Ms: at(0.99),
      maxMs: at(1),
      done,
      errors: this.errors,
    };
  }
}
