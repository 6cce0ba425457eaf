import { type Completion, complete } from '../../commands/zksh/completing/complete.js';
import { listFiles } from '../../commands/zksh/completing/list-files.js';
import type { Vocabulary } from '../../commands/zksh/completing/vocabulary.js';
import type { ShellSession } from '../../commands/zksh/session/shell-session.js';
import type { ListChildren } from '../../commands/znodes/complete-path.js';

export class Completer {
  private readonly session: ShellSession;
  private readonly vocabulary: Vocabulary;
  private readonly paths = new PathCache((path) => this.listChildren(path), Date.now);

  constructor(session: ShellSession, vocabulary: Vocabulary) {
    this.session = session;
    this.vocabulary = vocabulary;
  }

  complete(text: string, cursor: number): Promise<Completion> {
    return complete(text, cursor, {
      vocabulary: this.vocabulary,
      cwd: this.session.cwd,
      listChildren: (path) => this.paths.listChildren(path),
      listFiles,
    });
  }

  forget(): void {
    this.paths.clear();
  }

  private async listChildren(path: string): Promise<readonly string[]> {
    // Never wait for a connection or open one, as session.ready() does.
    const client = this.session.requireClient();
    if (client.state !== 'connected' && client.state !== 'connected-readonly') {
      throw new Error('not connected: cannot complete paths');
    }
    return (await client.getChildren(path)).children;
  }
}

/** Long enough for several TABs, short enough to show changes of other clients. */
const FRESH_MS = 3000;
const MAX_ENTRIES = 1000;

interface Entry {
  readonly children: Promise<readonly string[]>;
  readonly until: number;
}

/** Concurrent lookups share one request. Failures are not cached. */
export class PathCache {
  private readonly list: ListChildren;
  private readonly now: () => number;
  private readonly entries = new Map<string, Entry>();

  constructor(list: ListChildren, now: () => number) {
    this.list = list;
    this.now = now;
  }

  listChildren(path: string): Promise<readonly string[]> {
    const known = this.entries.get(path);
    if (known !== undefined && known.until > this.now()) return known.children;
    if (this.entries.size >= MAX_ENTRIES) this.entries.clear();
    const children = this.list(path);
    this.entries.set(path, { children, until: this.now() + FRESH_MS });
    children.catch(() => this.entries.delete(path));
    return children;
  }

  clear(): void {
    this.entries.clear();
  }
}
