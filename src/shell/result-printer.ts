import { append } from '../base/append.js';
import type { ErrorReport } from '../commands/program/command-error.js';
import type { Renderer } from '../commands/results/render.js';
import type { Result } from '../commands/results/result.js';
import type { Vocabulary } from '../commands/zksh/completing/vocabulary.js';
import { expandAliases } from '../commands/zksh/engine/aliases.js';
import { innerWords } from '../commands/zksh/engine/inner-words.js';
import { parseLine, type Token } from '../commands/zksh/language/parse-line.js';
import type { ShellSession } from '../commands/zksh/session/shell-session.js';
import type { ShellEvent } from './shell-state.js';
import type { LentTerminal } from './terminal/lent-terminal.js';
import { PagedOutput } from './terminal/paged-output.js';
import type { Scrollback } from './terminal/scrollback.js';
import type { Span } from './terminal/theme.js';
import { rowsOf } from './watch-pane.js';

/** The abort reason after the user quits the pager. */
export const PAGER_LEFT = 'pager left';

export interface Paging {
  readonly command: string;
  size(): { readonly rows: number; readonly columns: number };
}

export interface ResultPrinterParts {
  readonly session: ShellSession;
  readonly renderer: Renderer;
  readonly vocabulary: Vocabulary;
  readonly scrollback: Scrollback;
  readonly terminal: LentTerminal;
  readonly paging?: Paging | undefined;
}

export class ResultPrinter {
  private readonly parts: ResultPrinterParts;
  private readonly dispatch: (event: ShellEvent) => void;
  private readonly watches: WatchBoard;
  private output: PagedOutput;

  constructor(parts: ResultPrinterParts, dispatch: (event: ShellEvent) => void) {
    this.parts = parts;
    this.dispatch = dispatch;
    this.watches = new WatchBoard(dispatch);
    this.output = this.openOutput(undefined);
  }

  begin(line: string, running: AbortController): void {
    this.output = this.openOutput(this.isPaged(line) ? running : undefined);
  }

  result(result: Result): Promise<void> | void {
    if (result.kind === 'watching') this.watches.begin(result);
    const text = this.textOf(result);
    if (text === '') return;
    if (result.kind !== 'change') return this.output.write(text.replace(/\n$/, ''));
    this.output.release();
    for (const row of rowsOf(text)) this.print(row);
  }

  /** Prints the buffered output before other output. */
  release(): void {
    this.output.release();
  }

  finish(): Promise<void> {
    return this.output.finish();
  }

  error(error: ErrorReport, source?: string): void {
    const text = this.parts.renderer.error(error, source);
    this.print({ text: text.replace(/\n$/, ''), tone: 'bad' });
  }

  watch(result: Result): void {
    const text = this.textOf(result);
    if (result.kind === 'watching') this.watches.end(result, text);
    else if (result.kind !== 'event') this.watches.tell(result, text);
    else if (text !== '') this.print({ text: text.replace(/\n$/, ''), tone: 'event' });
  }

  private print(span: Span): void {
    this.dispatch({ type: 'output', spans: [span] });
  }

  private textOf(result: Result): string {
    return this.parts.renderer.result(result).toString();
  }

  /** Quitting the pager aborts a command, but never one that makes changes. */
  private isPaged(line: string): boolean {
    const { session, vocabulary } = this.parts;
    const isReading = (tokens: readonly Token[]): boolean => {
      const call = vocabulary.callOf(tokens);
      if (call === undefined || call.command.name === 'redo') return false;
      const { command, words } = call;
      const inner = innerWords(command, words);
      if (inner.length > 0) return isReading(inner);
      return command.isMutating !== true && command.isGraceful !== true;
    };
    const statements = expandAliases(parseLine(line).statements, session.aliases);
    return statements.every(({ tokens }) => isReading(tokens));
  }

  private openOutput(running: AbortController | undefined): PagedOutput {
    const { paging, session, terminal } = this.parts;
    const isPaged = paging !== undefined && running !== undefined && session.isPaging;
    return new PagedOutput({
      show: (text) => this.print({ text, tone: 'plain' }),
      size: () => paging?.size() ?? { rows: 0, columns: 0 },
      open: isPaged ? () => terminal.openPager(paging.command, running.signal) : undefined,
      onLeft: () => running?.abort(PAGER_LEFT),
    });
  }
}

// Shows changes of background watches in batches, so that a burst draws the screen only once.

type Watching = Extract<Result, { kind: 'watching' }>;

/** Too short to notice. */
const BATCH_MS = 20;

class WatchBoard {
  private readonly dispatch: (event: ShellEvent) => void;
  private readonly now: () => Date;
  private rows: Span[] = [];
  private changes = 0;
  private timer: NodeJS.Timeout | undefined;

  constructor(dispatch: (event: ShellEvent) => void, now = () => new Date()) {
    this.dispatch = dispatch;
    this.now = now;
  }

  begin(watching: Watching): void {
    this.dispatch({ type: 'watch-started', name: nameOf(watching) });
  }

  tell(result: Result, text: string): void {
    if (result.kind === 'change') this.changes++;
    const time = result.kind === 'change' ? clockTime(this.now()) : undefined;
    if (text !== '') append(this.rows, rowsOf(text, time));
    this.timer ??= setTimeout(() => this.flush(), BATCH_MS);
  }

  end(watching: Watching, text: string): void {
    this.flush();
    this.dispatch({ type: 'watch-ended', name: nameOf(watching), text: text.trimEnd() });
  }

  private flush(): void {
    clearTimeout(this.timer);
    this.timer = undefined;
    if (this.rows.length === 0 && this.changes === 0) return;
    this.dispatch({ type: 'watch-output', rows: this.rows, changes: this.changes });
    this.rows = [];
    this.changes = 0;
  }
}

/** `14:03:59Z`: in UTC, as stat and zkops top show times. */
function clockTime(time: Date): string {
  return `${time.toISOString().slice(11, 19)}Z`;
}

function nameOf({ path, isRecursive }: Watching): string {
  return isRecursive ? `${path} -R` : path;
}
