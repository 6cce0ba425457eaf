import { createHash } from 'node:crypto';
import { CreateModes } from '../../../src/protocol/create-mode.js';
import type { ACL } from '../../../src/protocol/data.js';
import { sequenceSuffix } from '../../../src/protocol/path.js';
import type { Random } from '../../support/random.js';
import type { WorldKind } from './world.js';

export const USERS = ['bob:secret', 'ann:pw', 'super:test'] as const;
export const SUPER_USER = 'super:test';

/** The value that DigestAuthenticationProvider stores for "user:password". */
export function digestId(userAndPassword: string): string {
  const hash = createHash('sha1').update(userAndPassword).digest('base64');
  return `${userAndPassword.split(':', 1)[0]}:${hash}`;
}

const WORLD_READ: ACL = { perms: 1, id: { scheme: 'world', id: 'anyone' } };
export const OPEN: readonly ACL[] = [{ perms: 31, id: { scheme: 'world', id: 'anyone' } }];
const GOOD_ACLS: readonly (readonly ACL[])[] = [
  [{ perms: 31, id: { scheme: 'digest', id: digestId('bob:secret') } }],
  [{ perms: 31, id: { scheme: 'auth', id: '' } }],
  [{ perms: 9, id: { scheme: 'auth', id: 'ignored' } }, WORLD_READ],
  [{ perms: 31, id: { scheme: 'ip', id: '127.0.0.1' } }],
  [{ perms: 30, id: { scheme: 'ip', id: '127.0.0.0/8' } }],
  [{ perms: 31, id: { scheme: 'ip', id: '10.1.2.3' } }],
  [
    { perms: 16, id: { scheme: 'world', id: 'anyone' } },
    { perms: 2, id: { scheme: 'digest', id: digestId('ann:pw') } },
  ],
  [WORLD_READ, WORLD_READ],
  [{ perms: 4, id: { scheme: 'world', id: 'anyone' } }],
  [{ perms: 0, id: { scheme: 'world', id: 'anyone' } }],
];
const BAD_ACLS: readonly (readonly ACL[])[] = [
  [],
  [{ perms: 31, id: { scheme: 'world', id: 'someone' } }],
  [{ perms: 31, id: { scheme: 'magic', id: 'x' } }],
  [{ perms: 31, id: { scheme: 'digest', id: 'nocolon' } }],
  [{ perms: 31, id: { scheme: 'digest', id: 'a:b:c' } }],
  [{ perms: 31, id: { scheme: 'ip', id: '127.0.0.300' } }],
  [{ perms: 31, id: { scheme: 'ip', id: '127.0.0.1/33' } }],
  [{ perms: 31, id: { scheme: 'ip', id: '127.0.0' } }],
  [...OPEN, { perms: 31, id: { scheme: 'magic', id: 'x' } }],
];
const NAMES = ['a', 'b', 'c', 'd'] as const;
/** The first names that sequential creates make. */
const SEQUENCES = [0, 1, 2, 3].map(sequenceSuffix);
/** The values of requests: paths, data, ACLs, and versions, mostly valid ones. */
export class WorldValues {
  private readonly random: Random;
  private readonly top: string;
  private readonly kind: WorldKind;

  constructor(random: Random, top: string, kind: WorldKind) {
    this.random = random;
    this.top = top;
    this.kind = kind;
  }

  flags(): number {
    const { random } = this;
    if (random.oneIn(25)) return random.pick([4, 5, 6, 7, -1, 99]);
    const { PERSISTENT, EPHEMERAL, PERSISTENT_SEQUENTIAL, EPHEMERAL_SEQUENTIAL } = CreateModes;
    return random.pick([
      PERSISTENT,
      PERSISTENT,
      EPHEMERAL,
      PERSISTENT_SEQUENTIAL,
      EPHEMERAL_SEQUENTIAL,
    ]).flag;
  }

  path(): string {
    return this.random.oneIn(30) ? this.strangePath() : this.plainPath();
  }

  plainPath(): string {
    const { random, top } = this;
    let path = `${top}/${random.pick(NAMES)}`;
    while (random.oneIn(3) && path.length < top.length + 8) path += `/${random.pick(NAMES)}`;
    if (random.oneIn(8)) path += random.pick(SEQUENCES);
    return path;
  }

  private strangePath(): string {
    const { random, top } = this;
    return random.pick([
      '',
      '/',
      top,
      'relative',
      `${top}/`,
      `${top}/a/`,
      `${top}//a`,
      `${top}/a//b`,
      `${top}/.`,
      `${top}/..`,
      `${top}/../a`,
      `${top}/.a`,
      `${top}/a.`,
      `${top}/\0`,
      `${top}/a\u001f`,
      `${top}/\u007f`,
      `${top}/ö\u00a0`,
      `${top}/\uf900`,
      `${top}/\ue000`,
      `${top}/\ufff0`,
      `${top}/\u{1f600}`,
      '/zookeeper',
      '/zookeeper/config',
      '/zookeeper/quota',
      '/zookeeper/nothing/here',
    ]);
  }

  prefix(): string {
    const { random, top } = this;
    return random.pick(['/', '', ' ', top, `${top}/a`, `${top}/`, '/nowhere']);
  }

  version(): number {
    const { random } = this;
    return random.oneIn(2) ? -1 : random.pick([0, 0, 1, 2, 3, -2, 2_147_483_647]);
  }

  data(): Buffer | null {
    const { random } = this;
    switch (random.below(6)) {
      case 0:
        return null;
      case 1:
        return Buffer.alloc(0);
      case 2:
        return Buffer.from(Array.from({ length: 1 + random.below(300) }, () => random.below(256)));
      default:
        return Buffer.from(`value ${random.below(1000)}`);
    }
  }

  acl(): readonly ACL[] {
    const { random } = this;
    if (random.oneIn(25)) return random.pick(BAD_ACLS);
    if (!random.oneIn(4)) return OPEN;
    const acl = random.pick(GOOD_ACLS);
    return this.kind === 'locked' ? acl : [...acl, WORLD_READ];
  }
}
