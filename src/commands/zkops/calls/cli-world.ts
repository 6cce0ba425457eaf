import type { AskAdmin } from '../../ensemble/admin.js';
import type { AskWord } from '../../ensemble/ask.js';
import type { AskCertificate } from '../../ensemble/certificate.js';
import type { ReadConfig } from '../../ensemble/verdict/discover.js';
import type { OpsResult } from '../../ensemble/verdict/result.js';
import type { OpsTerminal } from '../../terminal/ops-terminal.js';
import type { NameTest } from '../../zksh/language/path-glob.js';
import type { Grid } from './grid.js';
import type { StartLive } from './live.js';
import type { OutputFormat } from './options.js';
import type { Progress } from './task.js';

/** The parts of a result that a call asks for. */
export interface ShowOptions {
  readonly output: OutputFormat;
  /** Every row or value, not only the summary of each member. */
  readonly isAll: boolean;
  /** Which values to show, by their names without `zk_`. */
  readonly keys: NameTest | undefined;
  /** Only the values that differ from member to member. */
  readonly isDiff?: boolean;
  readonly isQuiet: boolean;
}

/** How to interrupt a task, and where it reports progress. */
export interface Job {
  readonly signal: AbortSignal;
  readonly progress: Progress;
  /** Clears the progress line from the screen. */
  readonly clearProgress: () => void;
}

/** The surroundings of `main`; tests pass substitutes. */
export interface CliWorld {
  readonly ask: AskWord;
  readonly askAdmin?: AskAdmin;
  readonly askCertificate?: AskCertificate;
  readonly now: () => Date;
  /** Undefined to read no variables and profiles. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Of the private key for TLS. */
  readonly keyPassphrase?: string | undefined;
  /** Resolves when more may be written. */
  readonly writeOut: (text: string | Buffer) => void | Promise<void>;
  readonly writeError: (text: string) => void;
  readonly render: (result: OpsResult, show: ShowOptions) => string | Buffer;
  /** `isInteractive` is set when a user reads the terminal and types. */
  readonly terminal: OpsTerminal & { readonly isInteractive?: boolean };
  readonly startLive?: StartLive;
  readonly readConfig?: ReadConfig;
  readonly renderPage?: (result: OpsResult) => Promise<string>;
  /** Renders a list that is not about members. */
  readonly renderGrid?: (grid: Grid, output: OutputFormat) => string;
  /** Runs a task, that is, a call that is not a word. */
  readonly runJob?: (work: (job: Job) => Promise<number>) => Promise<number>;
}
