// Shows changes of background watches in batches, so that a burst draws the screen only once.
import type { Result } from '../commands/zksh/results/result.js';
import type { ShellEvent } from './shell-state.js';
import type { Span } from './terminal/theme.js';
import { rowsOf } from './watch-pane.js';

type Watching = Extract<Result, { kind: 'watching' }>;

/** Too short to notice. */
const BATCH_MS = 20;

export class WatchBoard {
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
    if (text !== '') this.rows.push(...rowsOf(text, time));
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
