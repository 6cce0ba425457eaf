import type { ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { askWord } from '../../src/client/four-letter.js';
import { freePort } from './free-port.js';
import { isServing, spawnJava } from './oracle.js';
import { makeTempDir } from './temp-dir.js';
import { waitFor } from './wait-for.js';

export interface Ensemble {
  /** All members. */
  readonly connectString: string;
  /** Kills the leader with SIGKILL; resolves when its process is gone. */
  killLeader(): Promise<void>;
  /** Ends all and removes their folder. */
  close(): Promise<void>;
}

interface Member {
  readonly port: number;
  readonly file: string;
  child: ChildProcess;
  output: string;
}

const SIZE = 3;
const START_TIMEOUT_MS = 90_000;

/** Starts three of Apache's servers that make one ensemble, and waits until all serve. */
export async function startOracleEnsemble(): Promise<Ensemble> {
  const home = makeTempDir('oracle-ensemble');
  const ids = Array.from({ length: SIZE }, (_, i) => i + 1);
  const ports = await Promise.all(
    ids.map(async () => [await freePort(), await freePort(), await freePort()] as const),
  );
  const servers = ports.map(
    ([client, quorum, election], i) =>
      `server.${i + 1}=127.0.0.1:${quorum}:${election};127.0.0.1:${client}\n`,
  );
  const members: Member[] = ids.map((id, i) => {
    const dataDir = join(home.path, String(id));
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, 'myid'), `${id}\n`);
    const file = join(home.path, `zoo-${id}.cfg`);
    const lines = [
      `dataDir=${dataDir}`,
      'tickTime=2000',
      'initLimit=10',
      'syncLimit=5',
      'maxClientCnxns=0',
      'admin.enableServer=false',
      '4lw.commands.whitelist=*',
    ];
    writeFileSync(file, `${lines.join('\n')}\n${servers.join('')}`);
    return start({ port: ports[i]?.[0] ?? 0, file });
  });
  const close = async (): Promise<void> => {
    await Promise.all(members.map(({ child }) => kill(child)));
    home.remove();
  };
  try {
    for (const member of members) await untilServing(member);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    connectString: members.map(({ port }) => `127.0.0.1:${port}`).join(','),
    close,
    killLeader: async () => {
      for (const { port, child } of members) {
        const address = { host: '127.0.0.1', port };
        const answer = await askWord(address, 'srvr').catch(() => Buffer.alloc(0));
        if (answer.includes('Mode: leader')) return kill(child);
      }
      throw new Error('no member leads');
    },
  };
}

function start({ port, file }: Pick<Member, 'port' | 'file'>): Member {
  const child = spawnJava(['org.apache.zookeeper.server.quorum.QuorumPeerMain', file]);
  const member: Member = { port, file, child, output: '' };
  for (const stream of [child.stdout, child.stderr]) {
    stream?.on('data', (chunk) => {
      member.output += chunk;
    });
  }
  return member;
}

async function untilServing(member: Member): Promise<void> {
  const isThere = (): Promise<boolean> => {
    if (member.child.exitCode !== null) throw new Error(`a member ended:\n${member.output}`);
    return isServing(member.port);
  };
  await waitFor(`the member on port ${member.port}`, isThere, START_TIMEOUT_MS);
}

function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return Promise.resolve();
  const gone = new Promise<void>((resolve) => child.once('close', () => resolve()));
  child.kill('SIGKILL');
  return gone;
}
