import { withOutcome } from '../../client/base/errors.js';
import { type Hold, type HoldOptions, hold, UNLOCK } from './hold.js';
import { limited, type Subject, type WaitOptions } from './limit.js';
import { type Line, SequenceNode } from './sequence-node.js';
import type { Wait } from './session.js';
import { readIfThere, watched } from './znodes.js';

export interface Turn extends Omit<Hold, 'stop'> {
  readonly name: string;
  /** Gives the turn to the next place; see SequenceNode.leave. */
  leave(options?: WaitOptions): Promise<void>;
}

/**
 * Waits until a new place is first in line. A rejection deletes its znode in the background, also
 * after a lost connection, while the session lives.
 * @param onRevoked called once, when another process writes `unlock` into the znode
 */
export function takeTurn(
  line: Line,
  data: Buffer,
  options: WaitOptions,
  onRevoked?: () => void,
): Promise<Turn> {
  return limited(options, placeOf(line), 'not first in line', async (signal) => {
    const node = new SequenceNode(line);
    const waiting = new AbortController();
    const revoked = new AbortController();
    if (onRevoked !== undefined) revoked.signal.addEventListener('abort', () => onRevoked());
    try {
      await node.enter(data, signal);
      if (onRevoked !== undefined) {
        const whileWaiting = node.wait(AbortSignal.any([signal, waiting.signal]));
        // hold() reads the znode again, so that no request and no error is lost.
        untilRevoked(whileWaiting).then(
          () => revoked.abort(),
          () => undefined,
        );
      }
      await node.waitForTurn(signal);
      return await turnOf(node, { signal, revoked, isPlace: line.isPlace });
    } catch (error) {
      // The caller gets the original error. At the latest, the end of the session deletes the
      // znode.
      node.leave().catch(() => undefined);
      throw withOutcome(error, false);
    } finally {
      waiting.abort();
    }
  });
}

/**
 * Takes the turn if nothing blocks a new place now.
 * @returns undefined, and leaves no place, if something does
 */
export function tryTurn(line: Line, data: Buffer, options: WaitOptions): Promise<Turn | undefined> {
  return limited(options, placeOf(line), 'no answer', async (signal) => {
    const node = new SequenceNode(line);
    try {
      await node.enter(data, signal);
      if (await node.hasTurn(signal)) {
        return await turnOf(node, { signal, isPlace: line.isPlace });
      }
      await node.leave({ signal });
      return undefined;
    } catch (error) {
      node.leave().catch(() => undefined);
      throw withOutcome(error, false);
    }
  });
}

export function placeOf({ client, parent }: Line): Subject {
  return { client, path: parent };
}

async function turnOf(
  node: SequenceNode,
  { signal, ...options }: HoldOptions & { readonly signal: AbortSignal },
): Promise<Turn> {
  const { stop, ...held } = await hold(node.wait(signal), options);
  const leave = (limits?: WaitOptions): Promise<void> => {
    stop();
    return node.leave(limits);
  };
  return { ...held, name: node.name, leave };
}

/** Resolves when `unlock` is in the znode of `wait`. @throws an error that also ends the wait */
async function untilRevoked(wait: Wait): Promise<void> {
  for await (const place of watched(wait, (watches) => readIfThere(wait, wait.path, watches))) {
    if (place?.data?.equals(UNLOCK)) return;
  }
}
