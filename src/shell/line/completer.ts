// The sources of TAB completion: znodes of the server, through a cache, and local files.
import { readdir } from 'node:fs/promises';
import type { ShellSession } from '../../commands/zksh/session/shell-session.js';
import { type Completion, complete } from './complete.js';
import { PathCache } from './path-cache.js';
import type { Vocabulary } from './vocabulary.js';

export class Completer {
  readonly #session: ShellSession;
  readonly #vocabulary: Vocabulary;
  readonly #paths = new PathCache((path) => this.#listChildren(path), Date.now);

  constructor(session: ShellSession, vocabulary: Vocabulary) {
    this.#session = session;
    this.#vocabulary = vocabulary;
  }

  complete(text: string, cursor: number): Promise<Completion> {
    return complete(text, cursor, {
      vocabulary: this.#vocabulary,
      cwd: this.#session.cwd,
      listChildren: (path) => this.#paths.listChildren(path),
      listFiles,
    });
  }

  /** Clears the cache, because the znodes may have changed. */
  forget(): void {
    this.#paths.clear();
  }

  async #listChildren(path: string): Promise<readonly string[]> {
    // Not session.ready(): TAB never waits for a connection or opens one.
    const client = this.#session.requireClient();
    if (client.state !== 'connected' && client.state !== 'connected-readonly') {
      throw new Error('not connected: cannot complete paths');
    }
    return (await client.getChildren(path)).children;
  }
}

async function listFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
}
