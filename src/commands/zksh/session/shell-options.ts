import type { OutputFormat } from '../../results/render.js';
import type { SessionOptions } from './shell-session.js';

/** Plain data: the shell is a separate bundle with its own copies of all classes. */
export interface ShellOptions {
  /** The shell opens and closes the session. */
  readonly session: SessionOptions;
  readonly format: OutputFormat;
  readonly isTracing?: boolean;
  /** A line above the first prompt, for example about the bundled server. */
  readonly greeting?: string;
}
