/**
 * The round as one server counts it (FastLeaderElection.logicalclock). Anybody who reaches the port
 * can claim any round: that may delay an election but must never prevent it.
 */

/** Servers that elected together differ by far less, even after many restarts. */
const MAX_JUMP = 2n ** 32n;
/** Beyond what elections alone reach; the next election starts at 1. */
const MAX_OWN_ROUND = 2n ** 40n;
/** After this wait, a round beyond MAX_JUMP counts, too: servers of near rounds did not agree. */
const FAR_ROUND_WAIT_MS = 2000;
/** Each later round discards the votes, so a flood of later rounds would prevent any result. */
const FREE_RAISES = 16;
const RAISE_EVERY_MS = 250;

export class ElectionRound {
  value = 0n;
  private beganMs = 0;
  private raises = 0;
  private raisedMs = 0;

  is(round: bigint): boolean {
    return this.value === round;
  }

  next(nowMs: number): void {
    const isOutOfRange = this.value < 0n || this.value >= MAX_OWN_ROUND;
    this.value = isOutOfRange ? 1n : this.value + 1n;
    this.beganMs = nowMs;
    this.raises = 0;
  }

  /** Takes over the round of a looking server; false if it is refused for now. */
  follow(round: bigint, nowMs: number): boolean {
    const isFar = round > this.value + MAX_JUMP;
    if (isFar && nowMs < this.beganMs + FAR_ROUND_WAIT_MS) return false;
    if (this.raises >= FREE_RAISES && nowMs < this.raisedMs + RAISE_EVERY_MS) return false;
    this.value = round;
    this.raises++;
    this.raisedMs = nowMs;
    return true;
  }

  /** Takes over the round in which a quorum elected the leader that this server joins. */
  join(round: bigint): void {
    this.value = round;
  }
}
