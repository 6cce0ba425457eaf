// Every colour of the interactive shell. Everything else names tones.
import { env } from 'node:process';
import { Chalk, type ChalkInstance } from 'chalk';

export type Tone =
  | 'plain'
  | 'dim'
  | 'good'
  | 'busy'
  | 'bad'
  | 'path'
  | 'command'
  | 'option'
  | 'value'
  | 'comment'
  | 'ghost'
  | 'event'
  | 'selected';

/** A run of text in one tone, without line breaks where it is part of a row. */
export interface Span {
  readonly text: string;
  readonly tone: Tone;
}

// Chalk itself looks at FORCE_COLOR and the terminal, not at https://no-color.org.
const isColourless = (env['NO_COLOR'] ?? '') !== '' && env['FORCE_COLOR'] === undefined;
const chalk: ChalkInstance = isColourless ? new Chalk({ level: 0 }) : new Chalk();

const PAINTS: Readonly<Record<Tone, (text: string) => string>> = {
  plain: (text) => text,
  dim: chalk.dim,
  good: chalk.green,
  busy: chalk.yellow,
  bad: chalk.red,
  path: chalk.cyan,
  command: chalk.bold,
  option: chalk.magenta,
  value: chalk.green,
  comment: chalk.dim,
  ghost: chalk.dim,
  event: chalk.blue,
  selected: chalk.inverse,
};

/** The text with its colours, as a terminal takes them. */
export function paint(tone: Tone, text: string): string {
  return PAINTS[tone](text);
}

export function paintSpans(spans: readonly Span[]): string {
  return spans.map(({ tone, text }) => paint(tone, text)).join('');
}
