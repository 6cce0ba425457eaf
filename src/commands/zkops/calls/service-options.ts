import { askAdmin } from '../../ensemble/admin.js';
import { askCertificate } from '../../ensemble/certificate.js';
import type { RunOptions } from '../../ensemble/verdict/run.js';
import type { TaskCall } from './task.js';

export type ServiceLimits = Pick<RunOptions, 'timeoutMs' | 'deadlineMs' | 'limits' | 'confirmMs'>;

/** How a service such as the exporter asks all members, again and again. */
export function serviceOptions(call: TaskCall, limits: ServiceLimits): RunOptions {
  return {
    ...limits,
    ask: call.ask,
    askAdmin,
    askCertificate,
    now: call.now,
    ...(call.tls === undefined ? {} : { tls: call.tls }),
  };
}
