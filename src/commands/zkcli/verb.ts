import type { CliOptions, CliWords } from './cli-options.js';
import type { ZkCliShell } from './shell.js';

/** A command of Apache's shell as data; its usage text is a literal copy. */
export interface CliVerb {
  readonly usage: string;
  readonly options: CliOptions;
  /** The table of options that a few commands show after their usage. */
  readonly optionTable?: string;
  /** How many words it requires after its name. */
  readonly minArgs: number;
  /** How many words it takes; more are an error here, and ignored by Apache's shell. */
  readonly maxArgs?: number;
  run(shell: ZkCliShell, words: CliWords): Promise<void>;
}

export function argOf({ args }: CliWords, index: number): string {
  return args[index] ?? '';
}
