import { type Hold, hold } from './hold.js';
import { limited, type WaitOptions } from './limit.js';
import { type Line, SequenceNode } from './sequence-node.js';

export interface Turn extends Omit<Hold, 'stop'> {
  /** The name of the place. */
  readonly name: string;
  /** Passes the turn on; see SequenceNode.leave. */
  leave(): Promise<void>;
}

/**
 * Queues up and resolves when the turn has come. A rejection deletes its znode in the background,
 * also after a lost connection, while the session lives.
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
      // The caller gets the original error; the end of the session deletes the znode at the latest.
      node.leave().catch(() => undefined);
      throw error;
    }
  });
}
