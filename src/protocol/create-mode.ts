/** How to create a znode; `flag` is the int of a create request (CreateMode.toFlag). */
export interface CreateMode {
  readonly name: string;
  /** The number in a request. */
  readonly flag: number;
  /** Deleted at the end of the session. */
  readonly isEphemeral: boolean;
  /** The server appends a number of ten digits to the name. */
  readonly isSequential: boolean;
  /** Deleted by the server some time after its last child. */
  readonly isContainer: boolean;
  /** Deleted after a time without children and changes; see CreateOptions.ttl. */
  readonly isTTL: boolean;
}

const NONE = { isEphemeral: false, isSequential: false, isContainer: false, isTTL: false };

/** The modes by the names of CreateMode.java. */
export const CreateModes = {
  PERSISTENT: { ...NONE, name: 'PERSISTENT', flag: 0 },
  EPHEMERAL: { ...NONE, name: 'EPHEMERAL', flag: 1, isEphemeral: true },
  PERSISTENT_SEQUENTIAL: { ...NONE, name: 'PERSISTENT_SEQUENTIAL', flag: 2, isSequential: true },
  EPHEMERAL_SEQUENTIAL: {
    ...NONE,
    name: 'EPHEMERAL_SEQUENTIAL',
    flag: 3,
    isEphemeral: true,
    isSequential: true,
  },
  CONTAINER: { ...NONE, name: 'CONTAINER', flag: 4, isContainer: true },
  PERSISTENT_WITH_TTL: { ...NONE, name: 'PERSISTENT_WITH_TTL', flag: 5, isTTL: true },
  PERSISTENT_SEQUENTIAL_WITH_TTL: {
    ...NONE,
    name: 'PERSISTENT_SEQUENTIAL_WITH_TTL',
    flag: 6,
    isSequential: true,
    isTTL: true,
  },
} as const satisfies Record<string, CreateMode>;

const BY_FLAG: readonly CreateMode[] = Object.values(CreateModes);

/** The mode of a flag, or undefined if Apache answers BADARGUMENTS. */
export function createModeOf(flag: number): CreateMode | undefined {
  return BY_FLAG[flag];
}

/** The longest time to live of a TTL node, in ms: 40 bits of the ephemeralOwner. */
export const MAX_TTL_MS = 0xff_ffff_ffffn;

const CONTAINER_OWNER = -0x8000_0000_0000_0000n;
const TTL_MARK = 0xffn;

/**
 * The meaning of a znode's `ephemeralOwner` (EphemeralType.java). Clients see 0 for containers and
 * TTL nodes.
 */
export type EphemeralType = 'none' | 'session' | 'container' | 'ttl';

export function ephemeralTypeOf(owner: bigint, isTTLEnabled: boolean): EphemeralType {
  if (owner === 0n) return 'none';
  if (owner === CONTAINER_OWNER) return 'container';
  if (isTTLEnabled && BigInt.asUintN(64, owner) >> 56n === TTL_MARK) return 'ttl';
  return 'session';
}

export function containerOwner(): bigint {
  return CONTAINER_OWNER;
}

/** @param ttl milliseconds, 1 to MAX_TTL_MS */
export function ttlOwner(ttl: bigint): bigint {
  return BigInt.asIntN(64, (TTL_MARK << 56n) | ttl);
}

export function ttlOfOwner(owner: bigint): bigint {
  return owner & MAX_TTL_MS;
}
