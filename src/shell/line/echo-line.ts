import type { PathResolver } from '../../commands/zksh/engine/parse-arguments.js';
import { safeText } from '../../protocol/sanitize.js';
import { paintSpans, type Span } from '../terminal/theme.js';
import { analyzeLine } from './line-analysis.js';
import { type Connection, promptSpans } from './prompt.js';
import type { Vocabulary } from './vocabulary.js';

const ECHO_COLUMNS = 1000;

/** The line as it was entered; rows of one entry stand below each other as they were typed. */
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

/** As a terminal takes it, whatever the text holds. */
export function drawn(spans: readonly Span[]): string {
  return paintSpans(spans.map(({ text, tone }) => ({ text: safeText(text), tone })));
}
