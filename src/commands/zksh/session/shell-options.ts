import type { OutputFormat } from '../results/render.js';
import type { SessionOptions } from './shell-session.js';

/**
 * What the interactive shell (`startShell` of src/shell/main.ts) is started with: plain data, since
 * the shell is a bundle of its own, with its own copies of all classes.
 */
export interface ShellOptions {
  /** Of the session that the shell opens, showing how it goes, and closes. */
  readonly session: SessionOptions;
  readonly format: OutputFormat;
  /** Begin with a trace of the wire. */
  readonly isTracing?: boolean;
  /** One line above the first prompt: that the server is the bundled one, for instance. */
  readonly greeting?: string;
}
