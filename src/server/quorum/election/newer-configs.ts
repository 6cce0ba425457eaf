/** The configurations that came with notifications and are newer than any seen before. */
import type { QuorumConfig } from '../membership/quorum-config.js';
import type { Electorate } from './electorate.js';

export class NewerConfigs {
  private newest: bigint;
  private found: QuorumConfig | undefined;

  constructor(version: bigint) {
    this.newest = version;
  }

  /** A configuration in force. */
  use({ version }: QuorumConfig): void {
    if (version > this.newest) this.newest = version;
  }

  /** Returns what is wrong with the text, or "". */
  note(text: string | undefined, electorate: Electorate): string {
    const newer = text === undefined ? undefined : electorate.newerIn(text);
    if (typeof newer === 'string') return newer;
    if (newer === undefined || newer.version <= this.newest) return '';
    this.newest = newer.version;
    this.found = newer;
    return '';
  }

  /** Each one once. */
  take(): QuorumConfig | undefined {
    const { found } = this;
    this.found = undefined;
    return found;
  }
}
