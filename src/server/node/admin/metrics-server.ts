/** `/metrics` for Prometheus (PrometheusMetricsProvider). Loads prom-client on demand. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Metric, MetricObjectWithValues, MetricValue, Registry } from 'prom-client';
import type { ServerView } from '../../../fourlw/server-view.js';
import { LIMITS, type LimitName } from '../../limits/limits.js';
import { type MetricFamily, metricFamilies } from '../../metrics/families.js';
import { HttpListener, send } from './http-listener.js';

export interface MetricsServerOptions {
  readonly host: string;
  readonly port: number;
  readonly view: () => ServerView;
  readonly onLimit: (limit: LimitName, from: string, value?: number) => void;
  /** metricsProvider.exportJvmInfo: also memory, event loop, and garbage collection. */
  readonly hasProcessMetrics: boolean;
}

const IDLE_TIMEOUT_MS = LIMITS.metricsIdleTime.value;

export class MetricsServer {
  private readonly options: MetricsServerOptions;
  private readonly listener: HttpListener;
  private processMetrics: Registry | undefined;

  constructor(options: MetricsServerOptions) {
    this.options = options;
    const { host, port, onLimit } = options;
    const answer = this.answer.bind(this);
    this.listener = new HttpListener({
      host,
      port,
      idleTimeoutMs: IDLE_TIMEOUT_MS,
      onLimit,
      answer,
    });
  }

  get port(): number {
    return this.listener.port;
  }

  async listen(): Promise<void> {
    const client = await import('prom-client');
    if (this.options.hasProcessMetrics) {
      this.processMetrics = new client.Registry();
      client.collectDefaultMetrics({ register: this.processMetrics });
    }
    await this.listener.listen();
  }

  async close(): Promise<void> {
    await this.listener.close();
    this.processMetrics?.clear();
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const [path] = (request.url ?? '').split('?', 1);
    if (path !== '/metrics') {
      send(response, 404, 'text/plain; charset=utf-8', 'see /metrics\n');
    } else if (request.method !== 'GET' && request.method !== 'HEAD') {
      send(response, 405, 'text/plain; charset=utf-8', 'expected GET\n', { Allow: 'GET, HEAD' });
    } else {
      const { Registry: Own } = await import('prom-client');
      const own = new Own();
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
