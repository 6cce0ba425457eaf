import { type Hold, hold } from './hold.js';
import { limited, type WaitOptions } from './limit.js';
import { type Line, SequenceNode } from './sequence-node.js';

export interface Turn extends Omit<Hold, 'stop'> {
  readonly name: string;
  /** Gives the turn to the next place; see SequenceNode.leave. */
  leave(): Promise<void>;
}

/**
 * Waits until a new place is first in line. A rejection deletes its znode in the background, also
 * after a lost connection, while the session lives.
 */
export function takeTurn(line: Line, data: Buffer, options: WaitOptions): Promise<Turn> {
  return limited(options, `${line.parent}: not first in line`, async (signal) => {
    const node = new SequenceNode(line);
    try {
      await node.enter(data, signal);
      await node.waitForTurn(signal);
      const { stop, ...held } = await hold(node.wait(signal));
      const leave = (): Promise<void> => {
        stop();
        return node.leave();
      };
      return { ...held, name: node.name, leave };
    } catch (error) {
      // The caller gets the original error. At the latest, the end of the session deletes the
      // znode.
      node.leave().catch(() => undefined);
      throw error;
    }
  });
}
