import type { ZooKeeperClient } from '../../../client/base/client.js';
import { ZooKeeperError } from '../../../client/base/errors.js';
import { isSecureTarget } from '../../connecting/target.js';
import { inBackground } from '../../program/in-background.js';
import type { CommandContext } from '../engine/command.js';

export type ChildReader = Pick<ZooKeeperClient, 'getChildren'>;

/** After this many requests, a walk opens further sessions. */
const SPREAD_AFTER = 4096;
/** Three are nearly four times as fast, at a moderate load. */
const EXTRA_SESSIONS = 3;

/**
 * Lists children for a walk. Servers answer the requests of one session one by one, so a long walk
 * opens further sessions to the same server, which all see the same state. If one of them gets an
 * error, the session of the shell retries, because only it has all credentials.
 */
export class SpreadReader implements ChildReader {
  private readonly context: CommandContext;
  private extraClients: readonly ZooKeeperClient[] = [];
  private opening: Promise<void> | undefined;
  private requests = 0;
  private isClosed = false;

  constructor(context: CommandContext) {
    this.context = context;
  }

  getChildren(path: string): ReturnType<ChildReader['getChildren']> {
    const { client } = this.context;
    if (++this.requests === SPREAD_AFTER) this.opening = this.open();
    const extraClient = this.extraClients[(this.requests % (this.extraClients.length + 1)) - 1];
    if (extraClient === undefined) return client.getChildren(path);
    return extraClient.getChildren(path).catch((error: unknown) => {
      const isAnswer = error instanceof ZooKeeperError && ANSWERS.has(error.code);
      if (!isAnswer) this.drop(extraClient);
      return client.getChildren(path);
    });
  }

  private async open(): Promise<void> {
    const { session, client } = this.context;
    const { server } = client;
    // Counted and traced clients must see all requests.
    const isWatched = client !== session.client || session.tracer?.isOn === true;
    if (isWatched || server === undefined) return;
    const scheme = isSecureTarget(session.target) ? 'zks://' : '';
    const target = `${scheme}${server}${session.chroot}`;
    const open = async (): Promise<void> => {
      const extraClient = await session.openSeparate(target, true);
      if (this.isClosed) await extraClient.close();
      else this.extraClients = [...this.extraClients, extraClient];
    };
    // Without further connections, the walk is only slower.
    await Promise.allSettled(Array.from({ length: EXTRA_SESSIONS }, open));
  }

  private drop(extraClient: ZooKeeperClient): void {
    this.extraClients = this.extraClients.filter((other) => other !== extraClient);
    inBackground(extraClient.close(), () => undefined);
  }

  /** Never rejects. */
  async close(): Promise<void> {
    this.isClosed = true;
    const helpers = this.extraClients;
    this.extraClients = [];
    await Promise.allSettled([this.opening, ...helpers.map((extraClient) => extraClient.close())]);
  }
}

/** Errors of the znode, not of the session. */
const ANSWERS: ReadonlySet<string> = new Set(['NONODE', 'NOAUTH']);
