/** Two replicas of a ReplicatedMergeTree, each with a writer. */
import { spawn } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort } from '../support/machine/free-port.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { type WatchedProcess, watchProcess } from '../support/machine/watched-process.js';
import { waitFor } from '../support/wait-for.js';
import type { Application, Outcome, Running } from './application.js';
import { zookeeperSection } from './clickhouse-config.js';
import { debianVersion } from './debian.js';
import type { Ensemble } from './ensemble.js';
import { type Event, nowMs } from './history.js';
import { judgeItems, longestPauseMs } from './judges.js';

const SERVER = '/usr/sbin/clickhouse-server';
const WAIT_MS = 120_000;
const QUERY_MS = 20_000;
const PAUSE_MS = 50;
/** The number of inserts of each replica that shows that it continues. */
const MORE = 5;
const CREATE = (who: string) => `CREATE TABLE t (id String) ENGINE =
  ReplicatedMergeTree('/clickhouse/tables/t', '${who}') ORDER BY id`;
const STATE = `SELECT is_readonly, queue_size FROM system.replicas WHERE table = 't'`;

export const CLICKHOUSE: Application = {
  name: 'ClickHouse',
  work: 'two replicas of a ReplicatedMergeTree: inserts into each',
  source: "Debian's clickhouse-server",
  version: () => debianVersion('clickhouse-server'),
  start: async (ensemble) => startReplicas(ensemble),
};

interface Replica {
  readonly who: string;
  readonly process: WatchedProcess;
  /** @throws Error with the text of the server */
  query(text: string, body?: string): Promise<string>;
}

async function startReplica(home: string, who: string, { ports }: Ensemble): Promise<Replica> {
  const folder = join(home, who);
  mkdirSync(folder);
  const [http, tcp, interserver] = [await freePort(), await freePort(), await freePort()];
  const config = join(folder, 'config.xml');
  writeFileSync(
    config,
    `<yandex>
  <logger><level>warning</level><console>1</console></logger>
  <http_port>${http}</http_port><tcp_port>${tcp}</tcp_port>
  <interserver_http_port>${interserver}</interserver_http_port>
  <interserver_http_host>127.0.0.1</interserver_http_host>
  <listen_host>127.0.0.1</listen_host>
  <path>${folder}/</path><tmp_path>${folder}/tmp/</tmp_path>
  <mark_cache_size>100000000</mark_cache_size>
  <users_config>${folder}/users.xml</users_config>
  <default_profile>default</default_profile><default_database>default</default_database>
  ${zookeeperSection(ports)}
  <merge_tree>
    <zookeeper_session_expiration_check_period>1</zookeeper_session_expiration_check_period>
  </merge_tree>
</yandex>
`,
  );
  writeFileSync(
    join(folder, 'users.xml'),
    `<yandex><profiles><default/></profiles><quotas><default/></quotas><users><default>
  <password/><networks><ip>127.0.0.1</ip></networks>
  <profile>default</profile><quota>default</quota>
</default></users></yandex>
`,
  );
  const running = watchProcess(spawn(SERVER, [`--config-file=${config}`], { cwd: folder }));
  const query = async (text: string, body = ''): Promise<string> => {
    const url = `http://127.0.0.1:${http}/?query=${encodeURIComponent(text)}`;
    const signal = AbortSignal.timeout(QUERY_MS);
    const response = await fetch(url, { method: 'POST', body, signal });
    const answer = await response.text();
    if (!response.ok) throw new Error(answer.slice(0, 300));
    return answer;
  };
  return { who, process: running, query };
}

class Replicas implements Running {
  private readonly replicas: readonly Replica[];
  private readonly home: ReturnType<typeof makeTempDir>;
  private readonly history: Event[] = [];
  private readonly acknowledged = new Map<string, number>();
  private readonly readOnlyMs: number[] = [];
  private readonly working: Promise<void>[];
  private isEnded = false;

  constructor(replicas: readonly Replica[], home: ReturnType<typeof makeTempDir>) {
    this.replicas = replicas;
    this.home = home;
    this.working = replicas.flatMap((each) => [this.insert(each), this.watch(each)]);
  }

  async continues(): Promise<void> {
    const before = new Map(this.acknowledged);
    const isMore = ({ who }: Replica): boolean =>
      (this.acknowledged.get(who) ?? 0) >= (before.get(who) ?? 0) + MORE;
    await waitFor('inserts into each replica', () => this.replicas.every(isMore), WAIT_MS);
  }

  async finish(): Promise<Outcome> {
    this.isEnded = true;
    await Promise.all(this.working);
    const endedAt = nowMs();
    const problems: string[] = [];
    await waitFor('equal replicas', () => this.areEqual(), WAIT_MS).catch((error) =>
      problems.push(String(error)),
    );
    const agreed = nowMs() - endedAt;
    for (const { who, query } of this.replicas) {
      const ids = (await query('SELECT id FROM t')).split('\n').filter(Boolean);
      const found = ids.map((item): Event => ({ op: 'done', what: 'rows', item, at: 0 }));
      const judged = judgeItems([...this.history, ...found], 'rows');
      problems.push(...judged.map((text) => `replica ${who}: ${text}`));
    }
    const acknowledged = this.history.flatMap((e) => (e.op === 'put' && e.isSure ? [e.at] : []));
    return {
      problems,
      counts: {
        inserts: acknowledged.length,
        'not acknowledged': this.history.length - acknowledged.length,
      },
      durations: {
        'longest pause': longestPauseMs(acknowledged),
        'read-only': Math.max(0, ...this.readOnlyMs),
        'until equal': agreed,
      },
    };
  }

  async close(): Promise<void> {
    this.isEnded = true;
    await Promise.all(this.replicas.map(({ process: { stop } }) => stop('SIGKILL')));
    await Promise.all(this.working);
    this.home.remove();
  }

  private async insert({ who, query }: Replica): Promise<void> {
    for (let n = 0; !this.isEnded; n++) {
      const item = `${who}-${n}`;
      let isSure = true;
      await query('INSERT INTO t FORMAT TabSeparated', `${item}\n`).catch(() => {
        isSure = false;
      });
      this.history.push({ op: 'put', what: 'rows', item, isSure, at: nowMs() });
      if (isSure) this.acknowledged.set(who, (this.acknowledged.get(who) ?? 0) + 1);
      await delay(PAUSE_MS);
    }
  }

  /** Measures the times without writes. */
  private async watch({ query }: Replica): Promise<void> {
    let since: number | undefined;
    while (!this.isEnded) {
      const state = await query(STATE).catch(() => '');
      const isReadOnly = state.startsWith('1');
      since = isReadOnly ? (since ?? nowMs()) : undefined;
      if (since !== undefined) this.readOnlyMs.push(nowMs() - since);
      await delay(PAUSE_MS);
    }
  }

  private async areEqual(): Promise<boolean> {
    const states = await Promise.all(this.replicas.map(({ query }) => query(STATE)));
    if (!states.every((state) => state.trim() === '0\t0')) return false;
    const sums = this.replicas.map(({ query }) =>
      query('SELECT count(), sum(cityHash64(id)) FROM t'),
    );
    const [one, other] = await Promise.all(sums);
    return one === other;
  }
}

async function startReplicas(ensemble: Ensemble): Promise<Running> {
  const home = makeTempDir('clickhouse');
  const replicas: Replica[] = [];
  try {
    for (const who of ['one', 'two']) {
      const replica = await startReplica(home.path, who, ensemble);
      replicas.push(replica);
      const isUp = () => replica.query('SELECT 1').catch(() => false);
      await waitFor('ClickHouse to serve', isUp, WAIT_MS);
      await replica.query(CREATE(who));
    }
    return new Replicas(replicas, home);
  } catch (error) {
    const outputs = replicas.map((each) => each.process.output().slice(-2000)).join('\n--\n');
    await Promise.all(replicas.map((each) => each.process.stop('SIGKILL')));
    home.remove();
    throw new Error(`${String(error)}\n${outputs}`, { cause: error });
  }
}
