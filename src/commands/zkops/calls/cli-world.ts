import type { AskAdmin } from '../../ensemble/admin.js';
import type { AskWord } from '../../ensemble/ask.js';
import type { AskCertificate } from '../../ensemble/certificate.js';
import type { ReadConfig } from '../../ensemble/verdict/discover.js';
import type { OpsResult } from '../../ensemble/verdict/result.js';
import type { ShowOptions } from '../../results/pairs.js';
import type { OpsTerminal } from '../../terminal/ops-terminal.js';
import type { StartLive } from './live.js';
import type { Progress } from './task.js';

export interface Job {
  readonly signal: AbortSignal;
  readonly progress: Progress;
  readonly clearProgress: () => void;
}

/** Tests pass substitutes. */
export interface CliWorld {
  readonly ask: AskWord;
  readonly askAdmin?: AskAdmin;
  readonly askCertificate?: AskCertificate;
  readonly now: () => Date;
  /** Undefined reads no variables and no profiles. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** The password of the private key for TLS. */
  readonly keyPassphrase?: string | undefined;
  /** Resolves when the stream can take more. */
  readonly writeOut: (text: string | Buffer) => void | Promise<void>;
  /** Aborts when nothing more can be written: the reader left, or the disk is full. */
  readonly outputEnded?: AbortSignal;
  readonly writeError: (text: string) => void;
  readonly render: (result: OpsResult, show: ShowOptions) => string | Buffer;
  /** `isInteractive`: a user reads the terminal and types. */
  readonly terminal: OpsTerminal & { readonly isInteractive?: boolean };
  readonly startLive?: StartLive;
  readonly readConfig?: ReadConfig;
  readonly runJob?: (work: (job: Job) => Promise<number>) => Promise<number>;
}
