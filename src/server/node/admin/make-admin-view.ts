import { readdirSync, statSync } from 'node:fs';
import { arch, hostname, release, tmpdir, type } from 'node:os';
import { join } from 'node:path';
import { parseSnapshotName } from '../../../files/file-names.js';
import type { AdminQuorumView, AdminView } from '../../admin/admin-view.js';
import type { Config } from '../../config/config.js';
import { OPTIONS } from '../../config/config-keys.js';
import type { Option } from '../../config/config-option.js';
import type { Event } from '../../events.js';
import type { Core } from '../driver/driver.js';
import { serverUser } from '../log/server-user.js';
import type { SlowRequests } from './slow-requests.js';

const MASK = '***';
const SECRET = /password|passwd|superdigest|secret/i;

export interface AdminViewParts {
  readonly core: Core;
  /** Undefined for a standalone server. */
  readonly quorum: (() => AdminQuorumView) | undefined;
  readonly config: Config;
  /** Null for a server in memory. */
  readonly snapFolder: string | null;
  readonly step: (event: Event) => void;
  readonly slowRequests: SlowRequests;
}

export function makeAdminView(parts: AdminViewParts): AdminView {
  const { core, quorum, config, snapFolder, step, slowRequests } = parts;
  return {
    get quorum() {
      return quorum?.();
    },
    // A member of an ensemble has another server in each role.
    get server() {
      return core.server.view;
    },
    get slowSyncCount() {
      return core.server.state.stats.slowSyncs;
    },
    slowRequests: () => slowRequests.list(),
    lastSnapshot: () => (snapFolder === null ? undefined : newestSnapshot(snapFolder)),
    systemProperties: () => systemProperties(config),
    initialConfiguration: () => configurationText(config),
    shedConnections: (percentage) => {
      const open = [...core.server.state.connections.values()].filter(
        ({ phase }) => phase === 'open',
      );
      const count = Math.floor((open.length * percentage) / 100);
      // Spread evenly, so that not only the oldest clients are closed.
      for (let i = 0; i < count; i++) {
        const connection = open[Math.floor((i * open.length) / count)];
        if (connection !== undefined) step({ kind: 'evicted', connection: connection.id });
      }
      return count;
    },
    moveLeader: (sid) => {
      let problem = 'a standalone server has no other';
      if (quorum === undefined) return problem;
      const answer = (found: string): void => {
        problem = found;
      };
      step({ kind: 'move-leader', sid, answer });
      return problem;
    },
  };
}

function newestSnapshot(folder: string): { zxid: bigint; timestampMs: number } | undefined {
  let newest: { zxid: bigint; name: string } | undefined;
  for (const name of readdirSync(folder)) {
    const zxid = parseSnapshotName(name)?.zxid;
    if (zxid !== undefined && (newest === undefined || zxid > newest.zxid)) newest = { zxid, name };
  }
  if (newest === undefined) return undefined;
  const found = statSync(join(folder, newest.name), { throwIfNoEntry: false });
  return { zxid: newest.zxid, timestampMs: found?.mtimeMs ?? 0 };
}

/** Java's names that have a meaning here, and every option by its property name. */
function systemProperties(config: Config): ReadonlyMap<string, string> {
  const user = serverUser();
  const properties = new Map([
    ['file.separator', '/'],
    ['host.name', hostname()],
    ['java.io.tmpdir', tmpdir()],
    ['java.vendor', 'Node.js'],
    ['java.version', `node ${process.versions.node}`],
    ['line.separator', '\n'],
    ['os.arch', arch() === 'x64' ? 'amd64' : arch()],
    ['os.name', type()],
    ['os.version', release()],
    ['user.dir', process.cwd()],
    ['user.home', user.homedir],
    ['user.name', user.username],
  ]);
  for (const [option, text] of changedOptions(config)) properties.set(option.property, text);
  for (const [name, value] of config.properties) properties.set(name, masked(name, value));
  return properties;
}

function configurationText(config: Config): string {
  const lines = [...changedOptions(config)].map(([{ key }, text]) => `${key}=${text}\n`);
  const others = [...config.properties].map(([name, value]) => {
    return `${name.replace(/^zookeeper\./, '')}=${masked(name, value)}\n`;
  });
  return [...lines, ...others].join('');
}

function* changedOptions(config: Config): Generator<[Option<unknown>, string]> {
  const values: Readonly<Record<string, unknown>> = { ...config };
  for (const [name, option] of Object.entries(OPTIONS)) {
    const value = values[name];
    if (value === option.default || value === null || value === undefined) continue;
    const isYesNo = option.expects === 'yes or no';
    const text = isYesNo ? (value === true ? 'yes' : 'no') : String(value);
    yield [option as Option<unknown>, masked(option.property, text)];
  }
}

function masked(name: string, value: string): string {
  return SECRET.test(name) ? MASK : value;
}
