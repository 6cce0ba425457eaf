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

/** What a call asks to be shown. */
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

/** What a task may be interrupted by, and where it tells how far it is. */
export interface Job {
  readonly signal: AbortSignal;
  readonly progress: Progress;
  /** Takes what `progress` shows off the screen. */
  readonly clearProgress: () => void;
}

/** What main needs of the world; tests put their own there. */
export interface CliWorld {
  readonly ask: AskWord;
  readonly askAdmin?: AskAdmin;
  readonly askCertificate?: AskCertificate;
  readonly now: () => Date;
  /** Of the private key for TLS. */
  readonly keyPassphrase?: string | undefined;
  /** Resolves when more may be written. */
  readonly writeOut: (text: string | Buffer) => void | Promise<void>;
  readonly writeError: (text: string) => void;
  readonly render: (result: OpsResult, show: ShowOptions) => string | Buffer;
  /** `isInteractive` where somebody looks at it and types. */
  readonly terminal: OpsTerminal & { readonly isInteractive?: boolean };
  readonly startLive?: StartLive;
  readonly readConfig?: ReadConfig;
  readonly renderPage?: (result: OpsResult) => Promise<string>;
  /** A list that is about no member. */
  readonly renderGrid?: (grid: Grid, output: OutputFormat) => string;
  /** Carries out what is no word. */
  readonly runJob?: (work: (job: Job) => Promise<number>) => Promise<number>;
}
