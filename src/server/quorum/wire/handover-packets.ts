/**
 * The data of the packets of a planned handover, which are not Apache's. A client may have left one
 * server for another without the first one knowing. Its last requests would be late there, and the
 * next leader does not know who has the session. So the leader, who knows, compares: a connection
 * that is kept over a handover is the only one of its session.
 */

const SESSION_SIZE = 8;
/** The sid, and whether clients may stay. */
const HEAD_SIZE = 9;
/** A learner with more of them says so by naming none, and its clients connect again. */
const MAX_SESSIONS = 65_536;

/** The answer to PREPARE_HANDOVER: the sessions whose clients are connected to the learner. */
export function claimsData(sessionIds: readonly bigint[]): Buffer | null {
  if (sessionIds.length > MAX_SESSIONS) return null;
  const data = Buffer.alloc(sessionIds.length * SESSION_SIZE);
  for (const [at, id] of sessionIds.entries()) data.writeBigInt64BE(id, at * SESSION_SIZE);
  return data;
}

/** Null if the learner names none, or the data is damaged. */
export function readClaims(data: Buffer | null): readonly bigint[] | null {
  return data === null || data.length % SESSION_SIZE !== 0 ? null : sessionsIn(data, 0);
}

export interface Handover {
  /** The next leader. */
  readonly sid: number;
  /** The claimed sessions whose clients are connected elsewhere; null if nobody may stay. */
  readonly elsewhere: readonly bigint[] | null;
}

/** The data of HANDOVER. */
export function handoverData({ sid, elsewhere }: Handover): Buffer {
  const sessions = elsewhere ?? [];
  const data = Buffer.alloc(HEAD_SIZE + sessions.length * SESSION_SIZE);
  data.writeBigInt64BE(BigInt(sid));
  data[HEAD_SIZE - 1] = elsewhere === null ? 0 : 1;
  for (const [at, id] of sessions.entries()) {
    data.writeBigInt64BE(id, HEAD_SIZE + at * SESSION_SIZE);
  }
  return data;
}

/** Undefined for damaged data. */
export function readHandover(data: Buffer | null): Handover | undefined {
  if (data === null || data.length < HEAD_SIZE) return undefined;
  if ((data.length - HEAD_SIZE) % SESSION_SIZE !== 0) return undefined;
  const sid = Number(data.readBigInt64BE(0));
  return { sid, elsewhere: data[HEAD_SIZE - 1] === 1 ? sessionsIn(data, HEAD_SIZE) : null };
}

function sessionsIn(data: Buffer, from: number): bigint[] {
  const count = (data.length - from) / SESSION_SIZE;
  return Array.from({ length: count }, (_, at) => data.readBigInt64BE(from + at * SESSION_SIZE));
}
