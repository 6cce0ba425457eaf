/** Checks the property that server and model agree in every run that fast-check generates. */
import * as fc from 'fast-check';
import { makeRuns, type ThemeName } from './commands.js';
import { ModelRun } from './model-run.js';

export interface Verdict {
  readonly isHeld: boolean;
  /** The shrunk run, the seed, and the difference. */
  readonly report: string;
  readonly runs: number;
}

export interface ModelOptions {
  readonly runs: number;
  readonly seed: number;
  /** Default: all of them. */
  readonly theme?: ThemeName;
}

export function checkModel(options: ModelOptions): Verdict {
  const details = fc.check(
    fc.property(makeRuns(options.theme), (run) => ModelRun.execute(run)),
    { numRuns: options.runs, seed: options.seed },
  );
  const why = String((details.errorInstance as Error | null)?.stack ?? '');
  const report = details.failed ? `${fc.defaultReportMessage(details)}\n${why}` : '';
  return { isHeld: !details.failed, report, runs: details.numRuns };
}
