import type { ReadOptions } from '../../../client/base/client.js';
import type { CommandContext } from './command.js';

/** Read options for `-w`, which report the event of the watch. */
export function watchOption(context: CommandContext, isWatched: boolean): ReadOptions {
  if (!isWatched) return {};
  return { watch: (event) => context.notify({ kind: 'event', event }) };
}
