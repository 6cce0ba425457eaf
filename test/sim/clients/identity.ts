import { Author } from '../requests-sent.js';
import type { ClientWorld } from './client-world.js';

/** Who a client is for the servers: its address, and the digests of its auth packets. */
export class Identity {
  readonly address: string;
  /** "user:password" of each digest identity, which it sends again on every connection. */
  readonly users: string[] = [];
  private readonly world: Pick<ClientWorld, 'isAclChecked'>;

  constructor(world: Pick<ClientWorld, 'isAclChecked'>, id: number) {
    this.world = world;
    this.address = `10.0.0.${id - 100}`;
  }

  get author(): Author {
    return new Author(this.address, this.users, this.world.isAclChecked);
  }

  add(userAndPassword: string): void {
    if (!this.users.includes(userAndPassword)) this.users.push(userAndPassword);
  }
}
