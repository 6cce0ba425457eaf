import { type Completion, complete } from '../../commands/zksh/completing/complete.js';
import { listFiles } from '../../commands/zksh/completing/list-files.js';
import type { Vocabulary } from '../../commands/zksh/completing/vocabulary.js';
import type { ShellSession } from '../../commands/zksh/session/shell-session.js';
import { PathCache } from './path-cache.js';

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
