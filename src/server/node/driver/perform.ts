/** The effects of a member of an ensemble on its disk and its connections to the others. */
import type { QuorumServerConfig } from '../../config/config-ensemble.js';
import type { QuorumEffect } from '../../effects.js';
import type { Event } from '../../events.js';
import type { ElectionPort } from '../ports/election-port.js';
import type { QuorumPort } from '../ports/quorum-port.js';
import type { Disk } from '../storage/disk.js';

export interface PeerPorts {
  listen(): Promise<void>;
  readonly election: ElectionPort;
  readonly quorum: QuorumPort;
  /** Reads the file of oraclePath; absent without one. */
  readonly askOracle?: ((answer: (isGranted: boolean) => void) => void) | undefined;
  /** Each port listens where the line of this server says from now on. */
  readonly setMembers: (
    members: readonly QuorumServerConfig[],
    proposed: readonly QuorumServerConfig[],
  ) => void;
  readonly writeConfig: (text: string, isSettled: boolean) => void;
  readonly writeNextConfig: (text: string | null) => Promise<void>;
  close(): Promise<void>;
}

type DiskEffect = Extract<
  QuorumEffect,
  {
    kind:
      | 'write-epoch'
      | 'write-next-config'
      | 'truncate'
      | 'install-snapshot'
      | 'search-log'
      | 'link-log';
  }
>;

export function isDiskEffect(effect: QuorumEffect): effect is DiskEffect {
  return (
    effect.kind === 'write-epoch' ||
    effect.kind === 'write-next-config' ||
    effect.kind === 'truncate' ||
    effect.kind === 'install-snapshot' ||
    effect.kind === 'search-log' ||
    effect.kind === 'link-log'
  );
}

export function performOnDisk(
  effect: DiskEffect,
  disk: Disk,
  {
    quorum,
    writeNextConfig,
  }: { quorum: Pick<QuorumPort, 'sendTxns'> } & Pick<PeerPorts, 'writeNextConfig'>,
  step: (event: Event) => void,
): void {
  switch (effect.kind) {
    case 'write-epoch':
      disk.writeEpoch(effect.name, effect.epoch, () => step(effect.whenDurable));
      break;
    case 'write-next-config':
      disk.run(() => writeNextConfig(effect.text));
      break;
    case 'truncate':
      disk.truncate(effect.zxid, (database) => {
        if (database !== null) step({ kind: 'truncated', database });
        else step({ kind: 'not-truncated', zxid: effect.zxid });
      });
      break;
    case 'install-snapshot':
      disk.install(effect.content, () => step(effect.whenDurable), effect.mismatchZxid);
      break;
    case 'search-log':
      searchLog(effect, disk, step);
      break;
    case 'link-log': {
      const { link, tail } = effect;
      const packets = disk.reads.txns(tail, (zxid) => step({ kind: 'log-sent', link, zxid }));
      quorum.sendTxns(link, packets);
      break;
    }
  }
}

function searchLog(
  { link, range, sizeFactor }: Extract<QuorumEffect, { kind: 'search-log' }>,
  disk: Disk,
  step: (event: Event) => void,
): void {
  const { until } = range;
  disk.reads.search(range, sizeFactor, (place) =>
    step({ kind: 'log-searched', link, until, place }),
  );
}

export function performOnPeers(
  effect: Exclude<QuorumEffect, DiskEffect>,
  { election, quorum, askOracle, setMembers, writeConfig }: Omit<PeerPorts, 'listen' | 'close'>,
  step: (event: Event) => void,
): void {
  switch (effect.kind) {
    case 'notify':
      election.notify(effect.sid, effect.frame);
      break;
    case 'ask-oracle':
      askOracle?.((isGranted) =>
        step({ kind: 'oracle-said', question: effect.question, isGranted }),
      );
      break;
    case 'members':
      setMembers(effect.members, effect.proposed);
      break;
    case 'link-send':
      quorum.send(effect.link, effect.bytes);
      break;
    case 'link-snapshot':
      quorum.sendSnapshot(effect);
      break;
    case 'link-close':
      quorum.closeLink(effect.link);
      break;
    case 'link-hold':
      quorum.holdLink(effect.link, effect.isHeld);
      break;
    case 'link-proven':
      quorum.proveLink(effect.link);
      break;
    case 'observer-port':
      quorum.setObserverPort(effect.isOpen);
      break;
    case 'link-dial':
      quorum.dial(effect);
      break;
    case 'write-config':
      writeConfig(effect.text, effect.isSettled);
      break;
  }
}
