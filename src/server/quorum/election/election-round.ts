/**
 * The round of an election as one server counts it (FastLeaderElection.logicalclock). Anybody who
 * reaches the election port can claim any round, so a claim may delay an election, never end all.
 */

/** Servers that elected together differ by far less, however often one of them was restarted. */
const MAX_JUMP = 2n ** 32n;
/** Elections alone do not come this far: the next election counts from the start again. */
const MAX_OWN_ROUND = 2n ** 40n;
/** A round beyond a jump counts when servers of near rounds have not agreed by then. */
const FAR_ROUND_WAIT_MS = 2000;
/** Each later round begins the count of votes anew, so a flood of them would prevent any result. */
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

  /** A new election begins. */
  next(nowMs: number): void {
    const isOutOfRange = this.value < 0n || this.value >= MAX_OWN_ROUND;
    this.value = isOutOfRange ? 1n : this.value + 1n;
    this.beganMs = nowMs;
    this.raises = 0;
  }

  /** Takes the round of a server that looks for a leader; false when that is refused for now. */
  follow(round: bigint, nowMs: number): boolean {
    const isFar = round > this.value + MAX_JUMP;
    if (isFar && nowMs < this.beganMs + FAR_ROUND_WAIT_MS) return false;
    if (this.raises >= FREE_RAISES && nowMs < this.raisedMs + RAISE_EVERY_MS) return false;
    this.value = round;
    this.raises++;
    this.raisedMs = nowMs;
    return true;
  }

  /** Joins the leader that a quorum follows in that round. */
  join(round: bigint): void {
    this.value = round;
  }
}
