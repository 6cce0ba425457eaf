import { createHash } from 'node:crypto';
import { parseWhitelist } from '../../src/fourlw/base/whitelist.js';
import { LiveView } from '../../src/server/admin/view.js';
import type { Effect } from '../../src/server/effects.js';
import type { ServerStats } from '../../src/server/metrics/server-stats.js';
import { Database } from '../../src/server/persistence/replay.js';
import type { SnapshotContent } from '../../src/server/persistence/snapshot-content.js';
import {
  ContainerManager,
  type ContainerOptions,
} from '../../src/server/pipeline/container-manager.js';
import { Primary } from '../../src/server/pipeline/primary.js';
import { SnapshotTrigger } from '../../src/server/pipeline/snapshot-trigger.js';
import { Prep } from '../../src/server/prep/prep.js';
import { Server } from '../../src/server/server.js';
import { Auth } from '../../src/server/session/auth.js';
import { SessionTracker } from '../../src/server/session/session-tracker.js';
import { type ServerSettings, ServerState } from '../../src/server/state/server-state.js';
import { type HandshakeOptions, handshake, Peer } from './server-peer.js';
import { FACTS, HOST } from './still-host.js';

type Append = Extract<Effect, { kind: 'append' }>;

const TICK_MS = 1000;
const STEP_MS = TICK_MS / 2;
export const SETTINGS: ServerSettings = {
  serverId: 0,
  tickTimeMs: TICK_MS,
  minSessionTimeoutMs: 2 * TICK_MS,
  maxSessionTimeoutMs: 20 * TICK_MS,
  maxFrameLength: 4096,
  globalOutstandingLimit: 1000,
  isTTLEnabled: false,
  sessionlessTimeoutMs: 10 * TICK_MS,
};

export interface WorldOptions {
  readonly settings?: Partial<ServerSettings>;
  readonly maxClientCnxns?: number;
  readonly maxCnxns?: number;
  readonly whitelist?: string;
  readonly isQuotaEnforced?: boolean;
  /** Default: more than a test writes. */
  readonly snapCount?: number;
  readonly containers?: ContainerOptions;
  readonly auth?: Auth;
}

/**
 * A server without sockets, disk, or clock. The test sends events and inspects the effects.
 * Nothing is durable before `ack`.
 */
export class ServerWorld {
  readonly server: Server;
  /** All effects drained so far. */
  readonly effects: Effect[] = [];
  /** Appends without an ack. */
  readonly appends: Append[] = [];
  private readonly peers = new Map<number, Peer>();
  private wallMs = 1_800_000_000_000;
  private monotonicMs = 0;

  constructor(options: WorldOptions = {}) {
    this.server = makeServer({ ...SETTINGS, ...options.settings }, options);
    this.clock(0);
  }

  /** Lets time pass in small steps, as a driver reports it. */
  clock(ms: number): void {
    for (let left = ms; left > STEP_MS; left -= STEP_MS) this.jump(STEP_MS);
    this.jump(ms % STEP_MS === 0 ? Math.min(ms, STEP_MS) : ms % STEP_MS);
    // Work that is due now may end in a later turn.
    if (ms > 0) this.jump(0);
  }

  /** Lets time pass in one step, as after a pause of the process. */
  jump(ms: number): void {
    this.wallMs += ms;
    this.monotonicMs += ms;
    this.server.step({ kind: 'clock', wallMs: this.wallMs, monotonicMs: this.monotonicMs });
    this.drain();
  }

  connect(remoteIp = '127.0.0.1'): Peer {
    const id = this.peers.size + 1;
    const peer = new Peer(this, id);
    this.peers.set(id, peer);
    this.server.step({ kind: 'connected', connection: id, remoteIp, remotePort: 40_000 + id });
    this.drain();
    return peer;
  }

  /** A client with a session. */
  client(options: HandshakeOptions = {}): Peer {
    const peer = this.connect();
    peer.push(handshake(options));
    this.ackAll();
    peer.take();
    return peer;
  }

  /** Acks the oldest append. */
  ack(): void {
    const append = this.appends.shift();
    if (append === undefined) throw new Error('no append waits for its ack');
    this.server.step(append.whenDurable);
    this.drain();
  }

  ackAll(): void {
    while (this.appends.length > 0) this.ack();
  }

  /** The client has read everything. */
  drained(peer: Peer): void {
    peer.isAwaited = false;
    this.server.step({ kind: 'drained', connection: peer.id });
    this.drain();
  }

  drain(): readonly Effect[] {
    const effects = this.server.drain();
    for (const effect of effects) this.perform(effect);
    return effects;
  }

  private perform(effect: Effect): void {
    this.effects.push(effect);
    switch (effect.kind) {
      case 'append':
        this.appends.push(effect);
        break;
      case 'send':
        this.peers.get(effect.connection)?.received(effect.bytes);
        break;
      case 'close':
        this.peers.get(effect.connection)?.wasClosed();
        break;
      case 'finish':
        this.peers.get(effect.connection)?.received(Buffer.from(restOf(effect.slices)));
        this.peers.get(effect.connection)?.wasClosed();
        break;
      case 'pause':
      case 'resume':
        this.peers.get(effect.connection)?.wasHeld(effect.kind === 'pause');
        break;
      case 'await-reading':
        this.peers.get(effect.connection)?.wasAwaited();
        break;
      case 'snapshot':
        break;
    }
  }
}

export function restOf(slices: Iterator<string>): string {
  let text = '';
  for (let next = slices.next(); next.done !== true; next = slices.next()) text += next.value;
  return text;
}

function makeServer(settings: ServerSettings, options: WorldOptions): Server {
  const database = new Database({ isTTLEnabled: settings.isTTLEnabled });
  database.finishSnapshot(0n);
  return makeTestServer(settings, { tree: database.tree, sessions: [] }, options);
}

interface KnownBefore extends Pick<SnapshotContent, 'tree' | 'sessions'> {
  readonly stats?: ServerStats;
  /** On the monotonic clock. */
  readonly nowMs?: number;
}

/** A standalone server that begins with this tree and these sessions. */
export function makeTestServer(
  settings: ServerSettings,
  { tree, sessions: known, stats, nowMs = 0 }: KnownBefore,
  options: WorldOptions = {},
): Server {
  const { snapCount = 10_000_000 } = options;
  const hash = (text: string) => createHash('sha1').update(text).digest('base64');
  const auth = options.auth ?? new Auth({ hash });
  const prep = new Prep(tree, auth, {
    isDigestEnabled: true,
    isQuotaEnforced: options.isQuotaEnforced ?? false,
    isTTLEnabled: settings.isTTLEnabled,
    isKeeperDialect: settings.isKeeperDialect,
    reconfigure: null,
  });
  const sessions = new SessionTracker(settings.tickTimeMs, nowMs);
  for (const { id, timeoutMs } of known) sessions.add(id, timeoutMs, nowMs);
  const parts = { settings, tree, sessions, auth, prep };
  return new Server({
    state: new ServerState({ ...parts, ...(stats === undefined ? {} : { stats }) }),
    whitelist: parseWhitelist(options.whitelist ?? '*', false),
    maxClientCnxns: options.maxClientCnxns ?? 0,
    maxCnxns: options.maxCnxns ?? 0,
    makePipeline: (state, host) =>
      new Primary(state, host, {
        snapshots: new SnapshotTrigger({ snapCount, snapSize: 0, growth: 0 }, 1),
        containers: new ContainerManager(
          tree,
          options.containers ?? {
            checkIntervalMs: 60_000,
            maxPerMinute: 10_000,
            maxNeverUsedMs: 0,
          },
          0,
        ),
        listener: null,
      }),
    makeView: (server) => new LiveView(server, HOST, () => FACTS, '3.9.0'),
  });
}
