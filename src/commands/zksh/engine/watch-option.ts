import type { ReadOptions } from '../../../client/client.js';
import type { CommandContext } from './command.js';

/** What `-w` adds to a read: the event is told when the watch fires, whatever runs then. */
export function watchOption(context: CommandContext, isWatched: boolean): ReadOptions {
  if (!isWatched) return {};
  return { watch: (event) => context.notify({ kind: 'event', event }) };
}
