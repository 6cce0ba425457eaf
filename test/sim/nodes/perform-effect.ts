import type { Effect } from '../../../src/server/effects.js';
import type { Event } from '../../../src/server/events.js';
import type { ConfigKeeper } from '../../../src/server/node/boot/config-file.js';
import { isLoneAppend } from '../../../src/server/node/driver/driver.js';
import { performOnDisk } from '../../../src/server/node/driver/perform.js';
import type { Disk } from '../../../src/server/node/storage/disk.js';
import type { NodeSockets } from './node-sockets.js';
import { checkDigests } from './node-storage.js';

/** The parts of a server in one of its lives. */
export interface Hands {
  readonly disk: Disk;
  readonly keeper: ConfigKeeper;
  readonly sockets: NodeSockets;
  /** In this turn, besides the time. */
  readonly events: number;
  step(event: Event): void;
  askTurn(): void;
  sending(bytes: Buffer): Buffer;
  note(message: string): void;
  notify(sid: number, frame: Buffer): void;
  askOracle(answer: (isGranted: boolean) => void): void;
  /** Whether a new snapshot purges old files. */
  isPurging(): boolean;
  failed(error: unknown): void;
}

/** Performs an effect, as node/driver/driver.ts and node/driver/perform.ts do. */
export function performEffect(effect: Effect, hands: Hands): void {
  const { disk, keeper, sockets } = hands;
  const writeNextConfig = (text: string | null) => keeper.keepNext(text);
  switch (effect.kind) {
    case 'send':
      sockets.send(effect.connection, hands.sending(effect.bytes));
      break;
    case 'await-reading':
      hands.step({ kind: 'drained', connection: effect.connection });
      break;
    case 'close':
    case 'finish':
      sockets.close(effect.connection);
      break;
    case 'append':
      disk.append(
        effect.bytes,
        effect.firstZxid,
        () => hands.step(effect.whenDurable),
        isLoneAppend(hands.events, true),
      );
      break;
    case 'write-epoch':
    case 'write-next-config':
    case 'truncate':
    case 'install-snapshot':
    case 'search-log':
    case 'link-log':
      performOnDisk(effect, disk, { quorum: sockets, writeNextConfig }, (event) =>
        stepChecked(event, hands),
      );
      break;
    case 'write-config':
      hands.keeper.keep(effect.text, effect.isSettled);
      break;
    case 'snapshot':
      disk.takeSnapshot(effect.content);
      if (hands.isPurging()) disk.purge();
      break;
    case 'wake':
      hands.askTurn();
      break;
    case 'report':
      if (effect.report.kind === 'quorum') hands.note(effect.report.message);
      break;
    case 'notify':
      hands.notify(effect.sid, effect.frame);
      break;
    case 'ask-oracle':
      hands.askOracle((isGranted) =>
        hands.step({ kind: 'oracle-said', question: effect.question, isGranted }),
      );
      break;
    default:
      performOnLinks(effect, sockets);
  }
}

function performOnLinks(effect: Effect, sockets: NodeSockets): void {
  switch (effect.kind) {
    case 'link-proven':
      sockets.prove(effect.link);
      break;
    case 'link-hold':
      sockets.hold(effect.link, effect.isHeld);
      break;
    case 'observer-port':
      sockets.isObserverPortOpen = effect.isOpen;
      break;
    case 'link-dial':
      sockets.dial(effect);
      break;
    case 'link-send':
      sockets.sendPackets(effect.link, effect.bytes);
      break;
    case 'link-snapshot':
      sockets.sendSnapshot(effect);
      break;
    case 'link-close':
      sockets.close(effect.link);
      break;
    default:
      break;
  }
}

/** After a truncation, the log must give the tree that its writer had. */
function stepChecked(event: Event, hands: Hands): void {
  try {
    if (event.kind === 'truncated') checkDigests(event.database);
    hands.step(event);
  } catch (error) {
    hands.failed(error);
  }
}
