import type { QuorumServerConfig } from '../../src/server/config/config-ensemble.js';
import {
  formatQuorumConfig,
  parseQuorumConfig,
  type QuorumConfig,
} from '../../src/server/quorum/membership/quorum-config.js';
import type { QuorumLimits } from '../../src/server/quorum/peer/role.js';
import type { StorageTraits } from './nodes/node-storage.js';
import { LIMITS, OBSERVER_PORT } from './nodes/peer-parts.js';

/** Few, so that most runs exhaust an epoch, but more than a leader has in flight. */
const AGED_LAST_COUNTER = 60;

/** The members of the ensemble, and the features that it uses. */
export interface Shape {
  readonly servers: number;
  /** Additional servers that do not vote. */
  readonly observers?: number;
  /** Whether observers connect to followers. */
  readonly hasObserverMasters?: boolean;
  /**
   * Additional servers that a reconfig may add. Clients change the membership if there are any.
   */
  readonly spares?: number;
  /** Whether read-only clients may read without a quorum. */
  readonly isReadOnlyAllowed?: boolean;
  /** Whether sessions are local until they create an ephemeral. */
  readonly sessions?: 'global' | 'local' | 'upgraded';
  /** Starts from data with sequence numbers near their end, and with few zxids per epoch. */
  readonly isAged?: boolean;
  /** Whether leaders are often cut off, so that they log txns that no quorum has. */
  readonly areLeadersCutOff?: boolean;
  /** Whether an operator moves the leader (move_leader). */
  readonly areLeadersMoved?: boolean;
  /** One link between members in this many lies once; 0: none. */
  readonly liesOneIn?: number;
  /** The size of large values; 0: none. */
  readonly valueBytes?: number;
  /** digest.enabled. Default: true. */
  readonly isDigestEnabled?: boolean;
  /** Whether members serve ClickHouse Keeper's dialect, and clients use it. */
  readonly isKeeperDialect?: boolean;
  /** Whether dataLogDir is another folder. */
  readonly hasLogDir?: boolean;
  /** Whether snapshots are compressed. */
  readonly isCompressed?: boolean;
  /** The rate of each connection between servers, in bytes per ms; 0: without a limit. */
  readonly linkRate?: number;
  /** Two voters with files of oraclePath. A forgetful oracle breaks the rules, and loses writes. */
  readonly oracle?: 'none' | 'truthful' | 'forgetful';
}

/** The ensemble of a seed, unless options override it. */
export function shapeOf(seed: number): Required<Shape> {
  const hasOracle = seed % 17 === 9;
  return {
    servers: hasOracle ? 2 : ([3, 5, 3, 7][seed % 4] ?? 3),
    oracle: hasOracle ? 'truthful' : 'none',
    observers: seed % 6 === 5 ? 1 : seed % 9 === 6 ? 2 : 0,
    hasObserverMasters: seed % 9 === 6,
    spares: hasOracle ? 0 : ([0, 2, 0, 1, 0][seed % 5] ?? 0),
    isReadOnlyAllowed: seed % 7 === 2 || seed % 7 === 5,
    sessions:
      seed % 11 === 3 || seed % 14 === 2 ? 'local' : seed % 11 === 8 ? 'upgraded' : 'global',
    isAged: seed % 4 === 1,
    areLeadersCutOff: seed % 13 === 4,
    areLeadersMoved: seed % 11 === 5,
    valueBytes: seed % 20 === 13 ? 1_000_000 : seed % 5 === 2 ? 20_000 : 0,
    isDigestEnabled: seed % 8 !== 6,
    isKeeperDialect: seed % 10 === 7,
    hasLogDir: seed % 6 === 4,
    isCompressed: seed % 9 === 7,
    linkRate: seed % 20 === 12 ? 40 : 0,
    liesOneIn: seed % 3 === 1 ? 3 : 0,
  };
}

export function limitsOf(shape: Shape): QuorumLimits {
  const { isReadOnlyAllowed = false, sessions = 'global', hasObserverMasters = false } = shape;
  const { isAged = false } = shape;
  const localSessions = { isUpgradeAllowed: sessions === 'upgraded' };
  return {
    ...LIMITS,
    isReadOnlyAllowed,
    observerMasterPort: hasObserverMasters ? OBSERVER_PORT : null,
    ...(sessions === 'global' ? {} : { localSessions }),
    ...(isAged ? { lastCounter: AGED_LAST_COUNTER } : {}),
  };
}

/** All servers, including spares. */
export function everybody({ servers, observers = 0, spares = 0 }: Shape): QuorumConfig {
  const lines = Array.from({ length: servers + observers + spares }, (_, at) => {
    const isObserver = at >= servers && at < servers + observers;
    const place = `10.0.1.${at + 1}`;
    // A reconfig can add a server only if its client port is given.
    const clients = spares > 0 ? `;${place}:${4001 + at}` : '';
    const role = isObserver ? 'observer' : 'participant';
    return `server.${at + 1}=${place}:${2001 + at}:${3001 + at}:${role}${clients}`;
  });
  return parse([...lines, 'version=0'].join('\n'));
}

/** The first members. A spare knows them and itself. */
export function firstConfig(all: QuorumConfig, { spares = 0 }: Shape, sid?: number): QuorumConfig {
  const count = all.members.size - spares;
  const known = [...all.members].filter(([other], at) => at < count || other === sid);
  return { ...all, members: new Map(known) };
}

export function parse(text: string): QuorumConfig {
  const config = parseQuorumConfig(text);
  if (typeof config === 'string') throw new Error(config);
  return config;
}

/** "server.N=…", as in the reconfig that adds it. */
export function lineOf(server: QuorumServerConfig, role: QuorumServerConfig['role']): string {
  const members = new Map([[server.sid, { ...server, role }]]);
  const alone = { version: 0n, members, groups: new Map(), weights: new Map() };
  return formatQuorumConfig(alone).split('\n')[0] ?? '';
}

export function traitsOf(shape: Shape): StorageTraits {
  const { isDigestEnabled = true, hasLogDir = false, isCompressed = false } = shape;
  return { isDigestEnabled, hasLogDir, compression: isCompressed ? 'snappy' : 'none' };
}
