import type { InputArchive } from '../../jute/input-archive.js';
import { ustring } from '../../jute/record.js';
import { ErrorCode } from '../../protocol/error-code.js';
import { OpCode } from '../../protocol/op-code.js';
import { AddWatchMode, WatcherType } from '../../protocol/watch-event.js';
import type { ClientConnection } from '../state/client-connection.js';
import type { ServerState } from '../state/server-state.js';
import { WatchMode } from '../state/watch-manager.js';

export function addWatch(
  state: ServerState,
  connection: ClientConnection,
  input: InputArchive,
): ErrorCode {
  const path = ustring.read(input);
  const mode = input.readInt();
  const { dataWatches, childWatches } = state;
  if (mode === AddWatchMode.PERSISTENT) {
    dataWatches.add(path, connection, WatchMode.PERSISTENT);
    childWatches.add(path, connection, WatchMode.PERSISTENT);
  } else if (mode === AddWatchMode.PERSISTENT_RECURSIVE) {
    dataWatches.add(path, connection, WatchMode.PERSISTENT_RECURSIVE);
  } else {
    return ErrorCode.MARSHALLINGERROR;
  }
  // The record in the reply is an ErrorResponse: four bytes that mean OK.
  connection.out.writeInt(ErrorCode.OK);
  return ErrorCode.OK;
}

/** checkWatches tests for the watches, removeWatches removes them. */
export function findWatches(
  state: ServerState,
  connection: ClientConnection,
  type: number,
  input: InputArchive,
): ErrorCode {
  const path = ustring.read(input);
  const tables = tablesOf(state, input.readInt());
  if (tables === undefined) return ErrorCode.MARSHALLINGERROR;
  let isFound = false;
  for (const [table, modes] of tables) {
    const isHere =
      type === OpCode.removeWatches
        ? table.remove(path, connection, modes)
        : table.has(path, connection, modes);
    isFound ||= isHere;
  }
  return isFound ? ErrorCode.OK : ErrorCode.NOWATCHER;
}

function tablesOf(
  state: ServerState,
  watcherType: number,
): [table: ServerState['dataWatches'], modes: number][] | undefined {
  const { dataWatches, childWatches } = state;
  const { STANDARD, PERSISTENT, PERSISTENT_RECURSIVE } = WatchMode;
  const any = STANDARD | PERSISTENT | PERSISTENT_RECURSIVE;
  switch (watcherType) {
    case WatcherType.Children:
      return [[childWatches, STANDARD]];
    case WatcherType.Data:
      return [[dataWatches, STANDARD]];
    case WatcherType.Any:
      return [
        [childWatches, any],
        [dataWatches, any],
      ];
    case WatcherType.Persistent:
      return [
        [childWatches, PERSISTENT],
        [dataWatches, PERSISTENT],
      ];
    case WatcherType.PersistentRecursive:
      return [[dataWatches, PERSISTENT_RECURSIVE]];
    default:
      return undefined;
  }
}
