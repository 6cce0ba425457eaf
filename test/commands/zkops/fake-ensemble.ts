import {
  answers,
  type Behavior,
  closeAll,
  type FakeMember,
  startFake,
} from '../../support/peers/fake-member.js';
import { runZkops, type ZkopsRun } from '../../support/terminal/run-zkops.js';
import { srvrText } from './members-of.js';

/** Runs a verb, by default `zkops health`, over fake members. */
export async function over(
  behaviors: readonly Behavior[],
  ...args: readonly string[]
): Promise<ZkopsRun & { readonly fakes: readonly FakeMember[] }> {
  const fakes = await Promise.all(behaviors.map(startFake));
  try {
    const servers = fakes.map(({ port }) => `127.0.0.1:${port}`).join(',');
    const [verb = 'health', ...more] = args;
    const confirm = ['health', 'mntr', 'check', 'quorum'].includes(verb) ? ['--confirm', '50'] : [];
    return { ...(await runZkops([verb, '--servers', servers, ...confirm, ...more])), fakes };
  } finally {
    await closeAll(fakes);
  }
}

/** A member with the texts of srvr and mntr. */
export function member(
  mode: string,
  metrics: Readonly<Record<string, string | number>> = {},
  zxid = '0x100000008',
): Behavior {
  const lines = Object.entries({ server_state: mode, ...metrics });
  return answers({
    srvr: srvrText(mode, zxid),
    mntr: lines.map(([key, value]) => `zk_${key}\t${value}\n`).join(''),
  });
}

export const leader = (synced: number, voters = 3, zxid?: string) =>
  member('leader', { synced_followers: synced, quorum_size: voters }, zxid);
export const follower = (zxid?: string, voters = 3) =>
  member('follower', { quorum_size: voters }, zxid);
export const well = [leader(2), follower(), follower()];
export const flat = ({ out }: ZkopsRun) => out.replace(/\s+/g, ' ');
