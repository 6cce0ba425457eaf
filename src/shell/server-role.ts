import { inBackground } from '../commands/program/in-background.js';
import type { ShellSession } from '../commands/zksh/session/shell-session.js';
import type { Connection } from './line/prompt.js';

/**
 * What the server of the session is in its ensemble: asked beside the session each time it is on
 * another connection, since a server does not change its role without ending those. Nothing waits
 * for the answer, and where there is none nothing is shown.
 */
export class ServerRole {
  readonly #session: ShellSession;
  readonly #onLearned: () => void;
  #asking: AbortController | undefined;
  #role: string | undefined;

  constructor(session: ShellSession, onLearned: () => void) {
    this.#session = session;
    this.#onLearned = onLearned;
  }

  /** For the prompt. */
  get shown(): Pick<Connection, 'role' | 'access'> {
    const { state, isReadOnly } = this.#session;
    if (state !== 'connected') return {};
    const access = isReadOnly ? 'ro' : 'rw';
    return this.#role === undefined ? { access } : { role: this.#role, access };
  }

  /** The session is on another connection, or on none: what was known holds no more. */
  refresh(): void {
    this.close();
    this.#role = undefined;
    // A role that cannot be learned is not shown.
    if (this.#session.state === 'connected') inBackground(this.#ask(), () => undefined);
  }

  close(): void {
    this.#asking?.abort();
    this.#asking = undefined;
  }

  async #ask(): Promise<void> {
    const asking = new AbortController();
    this.#asking = asking;
    const { askServer } = await import('../commands/zksh/verbs/connection/ask-server.js');
    const told = await askServer(this.#session, asking.signal);
    if (this.#asking !== asking) return;
    this.#asking = undefined;
    this.#role = told?.mode;
    if (this.#role !== undefined) this.#onLearned();
  }
}
