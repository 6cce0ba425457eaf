/**
 * What `zksh` gives to a program: the client, and the server in the program's own process. The
 * recipes have an entry of their own, `zksh/recipes`.
 */

export * from './client/index.js';
export {
  type EnsembleMember,
  ExitCode,
  type RunningEnsemble,
  type RunningServer,
  ServerError,
  type StartEnsembleOptions,
  type StartServerOptions,
  startEnsemble,
  startServer,
} from './server/main.js';
