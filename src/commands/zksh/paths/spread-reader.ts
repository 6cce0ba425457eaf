import type { ZooKeeperClient } from '../../../client/client.js';
import { ZooKeeperError } from '../../../client/errors.js';
import { isSecureTarget } from '../../connecting/target.js';
import { inBackground } from '../../program/in-background.js';
import type { CommandContext } from '../engine/command.js';

export type ChildReader = Pick<ZooKeeperClient, 'getChildren'>;

/** So many requests a walk has to send before further sessions are worth their opening. */
const MANY = 4096;
/** Beside the shell's own: the gain is nearly fourfold, and it stays one operator's load. */
const HELPERS = 3;

/**
 * Lists children for a walk, which through one session is slow, however many requests are in
 * flight: servers answer a session one request after the other. A long walk goes on through further
 * sessions with the very server of the shell's own, so that none of them is behind it. What one of
 * them is refused, the shell's own is asked for: it alone has all credentials.
 */
export class SpreadReader implements ChildReader {
  readonly #context: CommandContext;
  #helpers: readonly ZooKeeperClient[] = [];
  #opening: Promise<void> | undefined;
  #asked = 0;
  #isClosed = false;

  constructor(context: CommandContext) {
    this.#context = context;
  }

  getChildren(path: string): ReturnType<ChildReader['getChildren']> {
    const { client } = this.#context;
    if (++this.#asked === MANY) this.#opening = this.#open();
    const helper = this.#helpers[(this.#asked % (this.#helpers.length + 1)) - 1];
    if (helper === undefined) return client.getChildren(path);
    return helper.getChildren(path).catch((error: unknown) => {
      const isAnswer = error instanceof ZooKeeperError && ANSWERS.has(error.code);
      if (!isAnswer) this.#drop(helper);
      return client.getChildren(path);
    });
  }

  async #open(): Promise<void> {
    const { session, client } = this.#context;
    const { server } = client;
    // Somebody counts what the client is asked, or looks at it on the wire.
    const isWatched = client !== session.client || session.tracer?.isOn === true;
    if (isWatched || server === undefined) return;
    const scheme = isSecureTarget(session.target) ? 'zks://' : '';
    const target = `${scheme}${server}${session.chroot}`;
    const open = async (): Promise<void> => {
      const helper = await session.openBeside(target, true);
      if (this.#isClosed) await helper.close();
      else this.#helpers = [...this.#helpers, helper];
    };
    // A server that takes no further connection is as fast as it was.
    await Promise.allSettled(Array.from({ length: HELPERS }, open));
  }

  #drop(helper: ZooKeeperClient): void {
    this.#helpers = this.#helpers.filter((other) => other !== helper);
    inBackground(helper.close(), () => undefined);
  }

  /** Ends the further sessions; always resolves. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const helpers = this.#helpers;
    this.#helpers = [];
    await Promise.allSettled([this.#opening, ...helpers.map((helper) => helper.close())]);
  }
}

/** About the znode, not about the session that asked. */
const ANSWERS: ReadonlySet<string> = new Set(['NONODE', 'NOAUTH']);
