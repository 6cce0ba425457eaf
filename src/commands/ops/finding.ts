import type { Problem } from './result.js';

/** What is found of the ensemble as a whole. */
export interface Overall {
  readonly summary: string;
  readonly problems: readonly Problem[];
}

export function finding(level: Problem['level'], code: string, text: string): Overall {
  return { summary: text, problems: [{ level, code, text }] };
}

export function well(summary: string): Overall {
  return { summary, problems: [] };
}
