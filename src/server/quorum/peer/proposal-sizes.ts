/** The sizes of a leader's proposals, in bytes; -1 before the first one. */
export class ProposalSizes {
  last = -1;
  min = -1;
  max = -1;

  note(size: number): void {
    this.last = size;
    this.max = Math.max(this.max, size);
    this.min = this.min === -1 ? size : Math.min(this.min, size);
  }
}
