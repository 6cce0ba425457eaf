import { inBackground } from '../commands/program/in-background.js';
import type { ShellSession } from '../commands/zksh/session/shell-session.js';
import type { Connection } from './line/prompt.js';

/** Queried after each connect, because a server closes its connections when its role changes. */
export class ServerRole {
  private readonly session: ShellSession;
  private readonly onLearned: () => void;
  private asking: AbortController | undefined;
  private role: string | undefined;

  constructor(session: ShellSession, onLearned: () => void) {
    this.session = session;
    this.onLearned = onLearned;
  }

  get shown(): Pick<Connection, 'role' | 'access'> {
    const { state, isReadOnly } = this.session;
    if (state !== 'connected') return {};
    const access = isReadOnly ? 'ro' : 'rw';
    return this.role === undefined ? { access } : { role: this.role, access };
  }

  refresh(): void {
    this.close();
    this.role = undefined;
    if (this.session.state === 'connected') inBackground(this.ask(), () => undefined);
  }

  close(): void {
    this.asking?.abort();
    this.asking = undefined;
  }

  private async ask(): Promise<void> {
    const asking = new AbortController();
    this.asking = asking;
    const { askServer } = await import('../commands/zksh/session/ask-server.js');
    const answer = await askServer(this.session, asking.signal);
    if (this.asking !== asking) return;
    this.asking = undefined;
    this.role = answer?.mode;
    if (this.role !== undefined) this.onLearned();
  }
}
