/** What other programs and the commands start a server by. */
export { ExitCode, ServerError } from './node/errors.js';
export { ENSEMBLE_LIMITS, layOutEnsemble } from './node/lay-out-ensemble.js';
export { createLogger, logLevelOf, type ServerLogger } from './node/logger.js';
export { readMembership } from './node/membership.js';
export {
  type EnsembleMember,
  type RunningEnsemble,
  type StartEnsembleOptions,
  startEnsemble,
} from './node/start-ensemble.js';
export { type RunningServer, type StartServerOptions, startServer } from './node/start-server.js';
