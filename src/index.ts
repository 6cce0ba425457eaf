/**
 * What `zksh` gives to a program: the client, and the server in the program's own process. The
 * recipes have an entry of their own, `zksh/recipes`.
 */

export * from './client/index.js';
export {
  ExitCode,
  type RunningServer,
  ServerError,
  type StartServerOptions,
  startServer,
} from './server/main.js';
