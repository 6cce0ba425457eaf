// What TAB asks: the znodes of the server, listed through a cache, and the files of this machine.
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

  /** The znodes may be others by now. */
  forget(): void {
    this.#paths.clear();
  }

  async #listChildren(path: string): Promise<readonly string[]> {
    // Not session.ready(): a TAB never waits for a connection, nor opens one.
    const client = this.#session.requireClient();
    if (client.state !== 'connected' && client.state !== 'connected-readonly') {
      throw new Error('not connected: paths cannot be completed');
    }
    return (await client.getChildren(path)).children;
  }
}

async function listFiles(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true });
  return entries.map((entry) => (entry.isDirectory() ? `${entry.name}/` : entry.name));
}
