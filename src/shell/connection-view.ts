import type { SessionEvent, ShellSession } from '../commands/zksh/session/shell-session.js';
import { type Connection, serversOf } from './line/prompt.js';
import { ServerRole } from './server-role.js';

export class ConnectionView {
  private readonly session: ShellSession;
  private readonly role: ServerRole | undefined;
  /** Shown while disconnected. */
  private lastServer: string | undefined;

  /** @param onRole called when the server's role is known; undefined does not query it */
  constructor(session: ShellSession, onRole: (() => void) | undefined) {
    this.session = session;
    this.role = onRole === undefined ? undefined : new ServerRole(session, onRole);
  }

  get connection(): Connection {
    const { client, target, chroot, cwd, state } = this.session;
    this.lastServer = client?.server ?? this.lastServer;
    const server = this.lastServer ?? serversOf(target);
    return { server, state, chroot, cwd, ...this.role?.shown };
  }

  hear(event: SessionEvent): void {
    if (event.kind === 'client') this.lastServer = undefined;
    if (event.kind !== 'path') this.role?.refresh();
  }

  close(): void {
    this.role?.close();
  }
}
