import { containerOwner } from './create-mode.js';

/** "0x100001226710000": the format of session ids in every tool. */
export function formatSessionId(sessionId: bigint): string {
  return `0x${BigInt.asUintN(64, sessionId).toString(16)}`;
}

/**
 * The first session id of a starting server: its sid in the top byte, then the low bits of the
 * clock in ms, so that a restarted server does not repeat ids (SessionTrackerImpl). Apache uses the
 * time since boot, which restarts with the machine; the wall clock does not.
 */
export function initialSessionId(serverId: number, wallClockMs: number): bigint {
  const time = BigInt.asUintN(64, BigInt(wallClockMs) << 24n) >> 8n;
  const id = BigInt.asIntN(64, (BigInt(serverId & 0xff) << 56n) | time);
  // This owner would mark a container.
  return id === containerOwner() ? id + 1n : id;
}

const SUPER_SECRET = 0xb3415c00n;
const MULTIPLIER = 0x5deece66dn;
const MASK_48 = 0xffff_ffff_ffffn;

/**
 * The password of a session: 16 bytes of Java's 48-bit linear congruential generator, seeded by the
 * id. Every server of an ensemble must compute the same, or clients that move lose their session.
 */
export function sessionPassword(sessionId: bigint): Buffer {
  const password = Buffer.allocUnsafe(16);
  let state = (BigInt.asUintN(64, sessionId ^ SUPER_SECRET) ^ MULTIPLIER) & MASK_48;
  for (let at = 0; at < 16; at += 4) {
    state = (state * MULTIPLIER + 11n) & MASK_48;
    password.writeInt32LE(Number(BigInt.asIntN(32, state >> 16n)), at);
  }
  return password;
}
