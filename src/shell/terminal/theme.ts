// All colors of the interactive shell.
import { env } from 'node:process';
import { Chalk, type ChalkInstance } from 'chalk';
import { textWidth, truncate } from '../../commands/terminal/text-width.js';

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

/** Without line breaks in a row. */
export interface Span {
  readonly text: string;
  readonly tone: Tone;
}

// Chalk checks FORCE_COLOR and the terminal, but not NO_COLOR (https://no-color.org).
const isColorless = (env['NO_COLOR'] ?? '') !== '' && env['FORCE_COLOR'] === undefined;
const chalk: ChalkInstance = isColorless ? new Chalk({ level: 0 }) : new Chalk();

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

function paint(tone: Tone, text: string): string {
  return PAINTS[tone](text);
}

/** The spans up to this column. */
export function cutSpans(spans: readonly Span[], columns: number): readonly Span[] {
  let room = columns;
  return spans.flatMap(({ text, tone }) => {
    const kept = truncate(text, room);
    room -= textWidth(kept);
    return kept === '' ? [] : [{ text: kept, tone }];
  });
}

export function paintSpans(spans: readonly Span[]): string {
  return spans.map(({ tone, text }) => paint(tone, text)).join('');
}
