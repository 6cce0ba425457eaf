import type { OutputFormat } from './render/render.js';
import type { ShellSession } from './shell-session.js';

/** What the interactive shell (`startShell` of src/shell/main.ts) is started with. */
export interface ShellOptions {
  /** Not connected yet: the shell calls `connect()` and shows how it goes. The caller closes it. */
  readonly session: ShellSession;
  readonly format: OutputFormat;
  /** One line above the first prompt: that the server is the bundled one, for instance. */
  readonly greeting?: string;
}
