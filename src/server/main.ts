/** The entry points by which other programs and the commands start a server. */

export type { Config, ConfigProblem, ConfigResult } from './config/config.js';
export type { AuthSchemes } from './config/config-auth.js';
export type { QuorumServerConfig } from './config/config-ensemble.js';
export { type ParseConfigOptions, parseConfig } from './config/parse-config.js';
export {
  ENSEMBLE_LIMITS,
  type EnsembleLayoutOptions,
  layOutEnsemble,
  type SeatLayout,
} from './node/boot/lay-out-ensemble.js';
export { readOwnLine } from './node/boot/read-membership.js';
export type { ServerControl } from './node/boot/server-control.js';
export {
  type EnsembleMember,
  type RunningEnsemble,
  type StartEnsembleOptions,
  startEnsemble,
} from './node/boot/start-ensemble.js';
export {
  type RunningServer,
  type StartServerOptions,
  startServer,
} from './node/boot/start-server.js';
export {
  createLogger,
  type LoggerOptions,
  logLevelOf,
  type ServerLogger,
  type ServerReport,
} from './node/log/logger.js';
export { ExitCode, ServerError } from './node/storage/errors.js';
export { type ReplaceOptions, replaceStopped } from './node/storage/replace-stopped.js';
