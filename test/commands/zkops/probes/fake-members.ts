import type { AskWord } from '../../../../src/commands/ensemble/ask.js';

/** The responses of the member at a port. The whitelist refuses words that are absent. */
export type FakeMembers = Readonly<Record<number, Readonly<Record<string, string>> | 'dead'>>;

export const UNLISTED = (word: string) =>
  `${word} is not executed because it is not in the whitelist.\n`;

export function askFakes(members: FakeMembers): AskWord {
  return (address, word) => {
    const member = members[address.port];
    if (member === undefined || member === 'dead') {
      return Promise.reject(Object.assign(new Error('no'), { reason: 'refused' }));
    }
    const name = word.toString();
    return Promise.resolve(Buffer.from(member[name] ?? UNLISTED(name)));
  };
}

/** `--servers` for these ports. */
export function serversOf(members: FakeMembers): string {
  return Object.keys(members)
    .map((port) => `10.0.0.1:${port}`)
    .join(',');
}

export function srvr(mode: string, zxid = '0x100000008', nodes = 5): string {
  return `Zookeeper version: 3.9.3\nZxid: ${zxid}\nMode: ${mode}\nNode count: ${nodes}\n`;
}

export function mntr(lines: Readonly<Record<string, string | number>>): string {
  return Object.entries({ version: '3.9.3', ...lines })
    .map(([key, value]) => `zk_${key}\t${value}\n`)
    .join('');
}

/** An ensemble of three voters, whose leader counts `synced` followers. */
export function ensemble(synced: number): Record<number, Record<string, string> | 'dead'> {
  const follower = {
    srvr: srvr('follower'),
    mntr: mntr({ server_state: 'follower', quorum_size: 3 }),
  };
  return {
    1: {
      srvr: srvr('leader'),
      mntr: mntr({ server_state: 'leader', quorum_size: 3, synced_followers: synced }),
    },
    2: follower,
    3: follower,
  };
}
