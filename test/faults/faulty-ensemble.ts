/**
 * An ensemble of real processes whose links run through proxies. A test can kill members, stop them
 * for a while, cut them off from each other, and restore them.
 */
import type { ChildProcess } from 'node:child_process';
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runApacheMember } from '../support/apache/oracle-ensemble.js';
import { runZkserver } from '../support/bundled.js';
import { freePort } from '../support/machine/free-port.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { startProxy, type TestProxy } from '../support/peers/proxy.js';

interface Way {
  readonly from: number;
  readonly to: number;
  readonly proxies: readonly TestProxy[];
}

export interface FaultyMember {
  readonly sid: number;
  readonly clientPort: number;
  readonly configFile: string;
  process: ChildProcess | null;
  /** All output of the process. */
  output: () => string;
}

export interface FaultyEnsemble {
  readonly members: readonly FaultyMember[];
  /** @param isApache run Apache's server on the data of the member */
  start(sid: number, isApache?: boolean): void;
  /** kill -9. Resolves when the process is gone. */
  kill(sid: number): Promise<void>;
  /** SIGSTOP and SIGCONT. */
  stop(sid: number): void;
  go(sid: number): void;
  /** Cuts the link between two members, in both directions or one. */
  cut(from: number, to: number): void;
  heal(): void;
  close(): Promise<void>;
}

export interface MemberOptions {
  /** More lines for the zoo.cfg of a member. */
  readonly lines?: (sid: number) => readonly string[];
  /** A prefix command that runs the rest of its line in the same process. */
  readonly prefix?: readonly string[];
}

export async function makeFaultyEnsemble(
  size: number,
  { lines: more = () => [], prefix = [] }: MemberOptions = {},
): Promise<FaultyEnsemble> {
  const home = makeTempDir('faults');
  const sids = Array.from({ length: size }, (_, i) => i + 1);
  const own = new Map<number, readonly [quorum: number, election: number]>();
  for (const sid of sids) own.set(sid, [await freePort(), await freePort()]);
  const ways: Way[] = [];
  for (const from of sids) {
    for (const to of sids) {
      if (from === to) continue;
      const [quorum, election] = own.get(to) ?? [0, 0];
      ways.push({
        from,
        to,
        proxies: [await startProxy(quorum, 'bytes'), await startProxy(election, 'bytes')],
      });
    }
  }
  const members: FaultyMember[] = [];
  for (const sid of sids) {
    const clientPort = await freePort();
    const folder = join(home.path, `${sid}`);
    const lines = sids.map((to) => {
      const ports =
        to === sid
          ? own.get(sid)
          : ways.find((way) => way.from === sid && way.to === to)?.proxies.map(({ port }) => port);
      return `server.${to}=127.0.0.1:${ports?.join(':')}`;
    });
    members.push({
      sid,
      clientPort,
      configFile: writeMember(folder, sid, clientPort, [...more(sid), ...lines]),
      process: null,
      output: () => '',
    });
  }
  const member = (sid: number): FaultyMember => members[sid - 1] as FaultyMember;
  const log = join(home.path, 'faults.log');
  const note = (text: string): void => appendFileSync(log, `${Date.now()} ${text}\n`);
  return {
    members,
    start: (sid, isApache = false) => {
      note(`start ${sid}${isApache ? " as Apache's" : ''}`);
      run(member(sid), isApache, prefix);
    },
    kill: async (sid) => {
      note(`kill ${sid}`);
      const { process: child } = member(sid);
      member(sid).process = null;
      if (child === null || child.exitCode !== null) return;
      const gone = new Promise((resolve) => child.once('close', resolve));
      child.kill('SIGKILL');
      await gone;
    },
    stop: (sid) => {
      note(`stop ${sid}`);
      member(sid).process?.kill('SIGSTOP');
    },
    go: (sid) => {
      note(`go ${sid}`);
      member(sid).process?.kill('SIGCONT');
    },
    cut: (from, to) => {
      note(`cut ${from} ${to}`);
      for (const way of ways) {
        const isMeant = way.from === from && way.to === to;
        if (isMeant) for (const proxy of way.proxies) proxy.refuse();
      }
    },
    heal: () => {
      note('heal');
      for (const { proxies } of ways) for (const proxy of proxies) proxy.mend();
    },
    close: async () => {
      for (const { process: child } of members) {
        if (child === null || child.exitCode !== null || child.signalCode !== null) continue;
        const gone = new Promise((resolve) => child.once('close', resolve));
        child.kill('SIGKILL');
        await gone;
      }
      for (const { proxies } of ways) for (const proxy of proxies) await proxy.close();
      home.remove();
    },
  };
}

function run(member: FaultyMember, isApache: boolean, prefix: readonly string[]): void {
  const { configFile, output: before } = member;
  const running = isApache
    ? runApacheMember(configFile)
    : runZkserver(['start-foreground', configFile], prefix);
  const earlier = before();
  member.process = running.process;
  member.output = () => earlier + running.output();
}

function writeMember(folder: string, sid: number, clientPort: number, lines: string[]): string {
  const dataDir = join(folder, 'data');
  mkdirSync(dataDir, { recursive: true });
  writeFileSync(join(dataDir, 'myid'), `${sid}\n`);
  const configFile = join(folder, 'zoo.cfg');
  const options = [
    `dataDir=${dataDir}`,
    `clientPort=${clientPort}`,
    'clientPortAddress=127.0.0.1',
    'tickTime=200',
    'initLimit=20',
    'syncLimit=5',
    'maxClientCnxns=0',
    // So low that the server writes snapshots and begins logs all the time.
    'snapCount=500',
    'admin.enableServer=false',
    '4lw.commands.whitelist=*',
  ];
  writeFileSync(configFile, `${[...options, ...lines].join('\n')}\n`);
  return configFile;
}
