import { register } from 'node:module';
import { COUNTER } from './instrument.js';

/** More than the tested code has. */
const MAX_BLOCKS = 1 << 17;

let seen = new Uint8Array(MAX_BLOCKS);
let fresh = 0;
let isCounting = false;

/**
 * Instruments modules that are imported from now on. Static imports are done by then, so the
 * caller imports the targets with `import()`.
 */
export function countBlocks(): void {
  if (isCounting) return;
  isCounting = true;
  const note = (block: number): true => {
    if (seen[block] === 0) {
      seen[block] = 1;
      fresh++;
    }
    return true;
  };
  Object.assign(globalThis, { [COUNTER]: note });
  register('./load-hook.js', import.meta.url);
}

/** Reports which blocks of the tested code ran since it was made. Use only one at a time. */
export class Coverage {
  blocks = 0;

  constructor() {
    seen = new Uint8Array(MAX_BLOCKS);
    fresh = 0;
  }

  /** The number of blocks that ran for the first time since the last call. */
  take(): number {
    const found = fresh;
    fresh = 0;
    this.blocks += found;
    return found;
  }
}
