// Connects background watches with their pane. Changes are shown in batches, so that a burst of
// changes draws the screen only once per batch.
import type { Result } from '../commands/zksh/results/result.js';
import type { ShellEvent } from './shell-state.js';
import type { Span } from './terminal/theme.js';
import { rowsOf } from './watch-pane.js';

type Watching = Extract<Result, { kind: 'watching' }>;

/** Too short to be noticed. */
const BATCH_MS = 20;

export class WatchBoard {
  readonly #dispatch: (event: ShellEvent) => void;
  #rows: Span[] = [];
  #changes = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor(dispatch: (event: ShellEvent) => void) {
    this.#dispatch = dispatch;
  }

  begin(watching: Watching): void {
    this.#dispatch({ type: 'watch-began', name: nameOf(watching) });
  }

  tell(result: Result, text: string): void {
    if (result.kind === 'change') this.#changes++;
    if (text !== '') this.#rows.push(...rowsOf(text));
    this.#timer ??= setTimeout(() => this.#flush(), BATCH_MS);
  }

  end(watching: Watching, text: string): void {
    this.#flush();
    this.#dispatch({ type: 'watch-ended', name: nameOf(watching), text: text.trimEnd() });
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#rows.length === 0 && this.#changes === 0) return;
    this.#dispatch({ type: 'watch-told', rows: this.#rows, changes: this.#changes });
    this.#rows = [];
    this.#changes = 0;
  }
}

function nameOf({ path, isRecursive }: Watching): string {
  return isRecursive ? `${path} -R` : path;
}
