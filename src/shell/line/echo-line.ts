import type { PathResolver } from '../../commands/machine/parse-arguments.js';
import { textWidth, truncate } from '../../commands/terminal/text-width.js';
import type { Vocabulary } from '../../commands/zksh/completing/vocabulary.js';
import { safeText } from '../../protocol/sanitize.js';
import { paintSpans, type Span } from '../terminal/theme.js';
import { analyzeLine } from './line-analysis.js';
import { type Connection, promptSpans } from './prompt.js';

const ECHO_COLUMNS = 1000;

/** Keeps the rows of a multi-line entry. */
export function echoOf(
  line: string,
  connection: Connection,
  vocabulary: Vocabulary,
  resolver: PathResolver,
): string {
  const { spans } = analyzeLine(line, line.length, vocabulary, resolver);
  const text = spans.map((span) => ({ ...span, text: span.text.replaceAll('\n', '\n> ') }));
  return drawn([...promptSpans(connection, ECHO_COLUMNS), ...text]);
}

function drawn(spans: readonly Span[]): string {
  return paintSpans(spans.map(({ text, tone }) => ({ text: safeText(text), tone })));
}

/**
 * Spans to print. With an answer, they are its question, and both take one row, unless the question
 * has a list of its own.
 */
export function printed(
  { spans, answer }: { readonly spans: readonly Span[]; readonly answer?: string },
  columns: (() => number) | undefined,
): string {
  if (answer === undefined) return drawn(spans);
  const question = spans.map(({ text }) => text).join('');
  const room = (columns?.() ?? Number.POSITIVE_INFINITY) - textWidth(answer);
  const text = question.includes('\n') ? question : truncate(safeText(question), room);
  return drawn([{ text: `${text}${answer}`, tone: 'plain' }]);
}
