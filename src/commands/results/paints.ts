import { Chalk } from 'chalk';
import type { Level } from '../ensemble/verdict/result.js';

/** The colors of tables. */
export interface Paints {
  bold(text: string): string;
  level(level: Level, text: string): string;
}

export function paintsOf(isColor: boolean): Paints {
  const chalk = new Chalk({ level: isColor ? 1 : 0 });
  const levels = {
    healthy: chalk.green,
    warning: chalk.yellow,
    critical: chalk.red,
    unknown: chalk.magenta,
  };
  return { bold: chalk.bold, level: (level, text) => levels[level](text) };
}
