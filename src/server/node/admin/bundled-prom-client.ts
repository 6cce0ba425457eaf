/** A build puts the package into this module (scripts/packages.mjs): the library installs none. */
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client';

export const bundledClient = { collectDefaultMetrics, Gauge, Registry };
