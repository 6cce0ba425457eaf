/** `/metrics` for Prometheus (PrometheusMetricsProvider). Loads prom-client on demand. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { getHeapStatistics, type HeapInfo } from 'node:v8';
import type { Metric, MetricObjectWithValues, MetricValue, Registry } from 'prom-client';
import type { ServerView } from '../../../fourlw/base/server-view.js';
import { LIMITS, type LimitName } from '../../limits/limits.js';
import { type MetricFamily, metricFamilies } from '../../metrics/families.js';
import { FileWatcher } from '../tls/file-watcher.js';
import type { TlsOptions } from '../tls/tls-options.js';
import type { HttpTls } from './http-gate.js';
import { HSTS, HttpListener, send } from './http-listener.js';

export interface MetricsServerOptions {
  readonly host: string;
  /** Without TLS; undefined opens none. */
  readonly port: number | undefined;
  readonly secure: SecureMetrics | undefined;
  readonly view: () => ServerView;
  readonly onLimit: (limit: LimitName, from: string, value?: number) => void;
  /** metricsProvider.exportJvmInfo: also heap, memory, event loop, and garbage collection. */
  readonly hasProcessMetrics: boolean;
}

export interface SecureMetrics {
  /** If it is the port without TLS, one port takes both. */
  readonly port: number;
  /** Reads the files of certificates. @throws ServerError ECONFIG */
  readonly readTls: () => TlsOptions;
  readonly detectionTimeoutMs: number;
  /** @param reason a sentence that names the client */
  readonly onFailure: (reason: string) => void;
  readonly onWarning: (message: string) => void;
}

/** What alerts on Apache's servers read: the names of 3.9, and those of 3.10. */
const HEAP_METRICS: readonly (readonly [names: readonly string[], figure: keyof HeapInfo])[] = [
  [['jvm_memory_bytes_used', 'jvm_memory_used_bytes'], 'used_heap_size'],
  [['jvm_memory_bytes_committed', 'jvm_memory_committed_bytes'], 'total_heap_size'],
  [['jvm_memory_bytes_max', 'jvm_memory_max_bytes'], 'heap_size_limit'],
];

const IDLE_TIMEOUT_MS = LIMITS.metricsIdleTime.value;

export class MetricsServer {
  private readonly options: MetricsServerOptions;
  readonly plain: HttpListener | undefined;
  readonly secure: HttpListener | undefined;
  private readonly isUnified: boolean;
  private readonly watcher: FileWatcher | undefined;
  private processMetrics: Registry | undefined;

  /** @throws ServerError ECONFIG when the certificates are unusable */
  constructor(options: MetricsServerOptions) {
    this.options = options;
    const { port, secure } = options;
    this.isUnified = secure !== undefined && secure.port === port;
    if (secure === undefined) {
      this.plain = port === undefined ? undefined : this.listenerAt(port, {});
      return;
    }
    const tls = secure.readTls();
    const { detectionTimeoutMs, onFailure, onWarning } = secure;
    this.secure = this.listenerAt(secure.port, {
      tls: {
        tls,
        isPlainTaken: this.isUnified,
        detectionTimeoutMs,
        onFailure,
        onPlain: () => undefined,
      },
    });
    if (this.isUnified) this.plain = this.secure;
    else this.plain = port === undefined ? undefined : this.listenerAt(port, {});
    this.watcher = new FileWatcher(tls.files, () => this.reload(secure), onWarning);
  }

  private listenerAt(port: number, secured: { readonly tls?: HttpTls }): HttpListener {
    const { host, onLimit } = this.options;
    const answer = this.answer.bind(this);
    return new HttpListener({
      host,
      port,
      idleTimeoutMs: IDLE_TIMEOUT_MS,
      onLimit,
      answer,
      ...secured,
    });
  }

  /** Must precede the first request. */
  async start(): Promise<void> {
    const { bundledClient: client } = await import('./bundled-prom-client.js');
    if (!this.options.hasProcessMetrics) return;
    const register = new client.Registry();
    client.collectDefaultMetrics({ register });
    for (const [names, figure] of HEAP_METRICS) {
      const help = `${figure} of V8, as Java's exports name it`;
      for (const name of names) {
        const collect = (): void => gauge.set({ area: 'heap' }, getHeapStatistics()[figure]);
        const gauge = new client.Gauge({
          name,
          help,
          labelNames: ['area'],
          registers: [register],
          collect,
        });
      }
    }
    this.processMetrics = register;
  }

  async close(): Promise<void> {
    this.watcher?.close();
    await this.plain?.close();
    await this.secure?.close();
    this.processMetrics?.clear();
  }

  /** As in 3.10, without a key. If files are unreadable, keeps the current certificates. */
  private reload({ readTls, onWarning }: SecureMetrics): void {
    try {
      this.secure?.reload(readTls().context);
    } catch (error) {
      const why = error instanceof Error ? error.message : String(error);
      onWarning(`certificates: cannot reload: ${why}. The previous ones stay in use`);
    }
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // With two ports, the one without TLS must stay reachable for browsers.
    if (this.isUnified && 'encrypted' in request.socket) response.setHeader(...HSTS);
    const [path] = (request.url ?? '').split('?', 1);
    if (path !== '/metrics') {
      send(response, 404, 'text/plain; charset=utf-8', 'see /metrics\n');
    } else if (request.method !== 'GET' && request.method !== 'HEAD') {
      send(response, 405, 'text/plain; charset=utf-8', 'expected GET\n', { Allow: 'GET, HEAD' });
    } else {
      const { bundledClient } = await import('./bundled-prom-client.js');
      const own = new bundledClient.Registry();
      for (const family of metricFamilies(this.options.view()))
        own.registerMetric(metricOf(family));
      const text = `${await own.metrics()}${(await this.processMetrics?.metrics()) ?? ''}`;
      send(response, 200, own.contentType, text);
    }
  }
}

/** prom-client's classes can only count themselves, but its registry needs only this part. */
function metricOf({ name, type, samples }: MetricFamily): Metric {
  const values = samples.map(({ name: metricName, labels, value }) => ({
    metricName,
    labels,
    value,
  }));
  const collected = { name, type, values, help: `ZooKeeper's ${name}`, aggregator: 'sum' };
  const metric = {
    name,
    get: async () => collected as unknown as MetricObjectWithValues<MetricValue<string>>,
  };
  return metric as unknown as Metric;
}
