import type { CliOptions, CliWords } from './cli-options.js';
import type { ZkCliShell } from './shell.js';

/** A command of Apache's shell as data; its usage is that shell's, word for word. */
export interface CliVerb {
  readonly usage: string;
  readonly options: CliOptions;
  /** The table that a few commands show below their usage. */
  readonly optionTable?: string;
  /** Words it needs behind its name. */
  readonly minArgs: number;
  /** Words it takes; Apache's shell drops what is more in silence, and here that is refused. */
  readonly maxArgs?: number;
  run(shell: ZkCliShell, words: CliWords): Promise<void>;
}

export function argOf({ args }: CliWords, index: number): string {
  return args[index] ?? '';
}
