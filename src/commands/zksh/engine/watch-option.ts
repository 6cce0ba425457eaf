import type { ReadOptions } from '../../../client/base/client.js';
import type { CommandContext } from './command.js';

/** The read options for `-w`: reports the event when the watch fires. */
export function watchOption(context: CommandContext, isWatched: boolean): ReadOptions {
  if (!isWatched) return {};
  return { watch: (event) => context.notify({ kind: 'event', event }) };
}
