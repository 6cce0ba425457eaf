import type { QuorumServerConfig } from '../../src/server/config/config-ensemble.js';
import {
  formatQuorumConfig,
  parseQuorumConfig,
  type QuorumConfig,
} from '../../src/server/quorum/membership/quorum-config.js';
import type { QuorumLimits } from '../../src/server/quorum/peer/role.js';
import { LIMITS, OBSERVER_PORT } from './peer-parts.js';

/** Few enough that most runs use an epoch up, and more than a leader has under way. */
const AGED_LAST_COUNTER = 60;

/** Who there is, and what the ensemble is allowed to do. */
export interface Shape {
  readonly servers: number;
  /** Besides them: servers that do not vote. */
  readonly observers?: number;
  /** Do observers go to followers? */
  readonly hasObserverMasters?: boolean;
  /** Besides them: servers that a reconfig may let in; clients change the membership where any. */
  readonly spares?: number;
  /** Without a quorum, those who ask for no more may read. */
  readonly isReadOnlyAllowed?: boolean;
  /** Sessions are local, for ever or until they make an ephemeral. */
  readonly sessions?: 'global' | 'local' | 'upgraded';
  /** Starts from data whose sequence numbers are near their end, with epochs of few zxids. */
  readonly isAged?: boolean;
}

/** The ensemble of a seed where nobody asks for another. */
export function shapeOf(seed: number): Required<Shape> {
  return {
    servers: [3, 5, 3, 7][seed % 4] ?? 3,
    observers: seed % 6 === 5 ? 1 : seed % 9 === 6 ? 2 : 0,
    hasObserverMasters: seed % 9 === 6,
    spares: [0, 2, 0, 1, 0][seed % 5] ?? 0,
    isReadOnlyAllowed: seed % 7 === 2 || seed % 7 === 5,
    sessions: seed % 11 === 3 ? 'local' : seed % 11 === 8 ? 'upgraded' : 'global',
    isAged: seed % 4 === 1,
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

/** All servers, those that are to join too. */
export function everybody({ servers, observers = 0, spares = 0 }: Shape): QuorumConfig {
  const lines = Array.from({ length: servers + observers + spares }, (_, at) => {
    const isObserver = at >= servers && at < servers + observers;
    const place = `10.0.1.${at + 1}`;
    // A server can be let in only where its port for clients is told.
    const clients = spares > 0 ? `;${place}:${4001 + at}` : '';
    const role = isObserver ? 'observer' : 'participant';
    return `server.${at + 1}=${place}:${2001 + at}:${3001 + at}:${role}${clients}`;
  });
  return parse([...lines, 'version=0'].join('\n'));
}

/** The members from the start; a server that is to join knows them and itself. */
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

/** "server.N=…", as a reconfig asks for it to join. */
export function lineOf(server: QuorumServerConfig, role: QuorumServerConfig['role']): string {
  const members = new Map([[server.sid, { ...server, role }]]);
  const alone = { version: 0n, members, groups: new Map(), weights: new Map() };
  return formatQuorumConfig(alone).split('\n')[0] ?? '';
}
