import type { CliOptions, CliWords } from './cli-options.js';
import type { ZkCliShell } from './shell.js';

/** The usage text is a literal copy. */
export interface CliVerb {
  readonly usage: string;
  readonly options: CliOptions;
  /** A few commands print this table after their usage. */
  readonly optionTable?: string;
  /** Words after the name. */
  readonly minArgs: number;
  /** More words are an error here; Apache's shell ignores them. */
  readonly maxArgs?: number;
  run(shell: ZkCliShell, words: CliWords): Promise<void>;
}

export function argOf({ args }: CliWords, index: number): string {
  return args[index] ?? '';
}
