import type { OutputFormat } from '../results/render.js';
import type { SessionOptions } from './shell-session.js';

/**
 * The options of the interactive shell (`startShell` of src/shell/main.ts). Plain data, because the
 * shell is a separate bundle with separate copies of all classes.
 */
export interface ShellOptions {
  /** The shell opens and closes the session. */
  readonly session: SessionOptions;
  readonly format: OutputFormat;
  /** Start with the trace of requests on. */
  readonly isTracing?: boolean;
  /** One line above the first prompt, for example about the bundled server. */
  readonly greeting?: string;
}
