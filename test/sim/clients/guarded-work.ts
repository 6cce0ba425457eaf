import type { ACL } from '../../../src/protocol/data.js';
import { OPEN_ACL_UNSAFE, Perms } from '../../../src/protocol/perms.js';
import type { Random } from '../../support/random.js';
import type { ClientNode } from './client-node.js';
import type { Reads } from './reads.js';
import * as requests from './requests.js';
import { type Body, Flags } from './requests.js';
import { GUARDED } from './watches.js';

/** Znodes with ACLs: an event goes only to clients that may read. */
const NAMES = [`${GUARDED}/a`, `${GUARDED}/a`, `${GUARDED}/b`, `${GUARDED}/a/x`, `${GUARDED}/a/x`];

/** Requests whose results depend on ACLs and on who asks. */
export class GuardedWork {
  private readonly client: ClientNode;
  private readonly reads: Reads;
  private readonly random: Random;
  private count = 0;

  constructor(client: ClientNode, reads: Reads, random: Random) {
    this.client = client;
    this.reads = reads;
    this.random = random;
  }

  act(): void {
    const { random, client } = this;
    const path = random.pick(NAMES);
    const version = random.oneIn(3) ? random.below(3) : -1;
    const text = `${client.id}:${++this.count}`;
    switch (random.below(15)) {
      case 0:
        client.addAuth(`user-${random.below(3)}:secret`);
        break;
      case 1:
      case 2:
        this.ask(requests.setACL(path, this.someAcl(), version));
        break;
      case 3:
      case 4:
        this.ask(requests.remove(path, version));
        break;
      case 5:
        this.ask(requests.setData(path, text, version));
        break;
      case 6:
      case 7:
        this.reads.guarded(path, random.oneIn(2));
        break;
      case 8:
      case 9:
        this.reads.watch(GUARDED, true, false);
        break;
      case 10:
        // So that other writes find a znode that lets them.
        this.ask(requests.setACL(path, OPEN_ACL_UNSAFE));
        break;
      default:
        this.ask(requests.create(path, Flags.persistent, text, undefined, this.someAcl()));
    }
  }

  private ask({ type, body }: Body): void {
    this.client.ask({ type, body, answered: () => undefined });
  }

  /** Some rights for one kind of identity, and often others for another one. */
  private someAcl(): ACL[] {
    const { random } = this;
    const ids = [
      { scheme: 'auth', id: '' },
      { scheme: 'world', id: 'anyone' },
      { scheme: 'ip', id: `10.0.0.${1 + random.below(3)}` },
    ];
    const acl = [{ perms: 1 + random.below(Perms.ALL), id: random.pick(ids) }];
    if (random.oneIn(2)) acl.push({ perms: random.below(Perms.ALL + 1), id: random.pick(ids) });
    return acl;
  }
}
