import type { Random } from '../../support/random.js';
import type { Told } from '../history.js';
import type { Author } from '../requests-sent.js';
import type { ClientWorld } from './client-world.js';
import { Identity } from './identity.js';
import { Liveness } from './liveness.js';

export const NO_PASSWORD = Buffer.alloc(16);

/** The session of a client over all of its connections, and what the servers know of the client. */
export class ClientSession {
  readonly id: number;
  told: Told;
  /** Counts its sessions, new and taken over. */
  life = 0;
  readonly identity: Identity;
  protected readonly world: ClientWorld;
  protected password: Buffer = NO_PASSWORD;
  protected readonly liveness: Liveness;

  constructor(world: ClientWorld, id: number) {
    this.world = world;
    this.id = id;
    this.identity = new Identity(world, id);
    this.liveness = new Liveness(world);
    this.told = world.history.newTold(0n, this.author);
  }

  get author(): Author {
    return this.identity.author;
  }

  /** Another client also uses its session, so each connection restarts the count of requests. */
  get isShared(): boolean {
    return this.world.history.shared.has(this.told.id);
  }

  protected dropSession(random: Random): void {
    this.life++;
    this.world.history.events += this.told.watches.events;
    this.told = this.world.history.newTold(0n, this.author, this.told.lastZxid);
    this.liveness.choose(random);
    this.password = NO_PASSWORD;
  }

  protected share({ told, password, liveness }: ClientSession): void {
    const { lastZxid } = this.told;
    this.life++;
    this.told = this.world.history.newTold(told.id, this.author, lastZxid);
    this.liveness.askedMs = liveness.askedMs;
    this.world.history.shared.add(told.id);
    this.password = password;
  }
}
