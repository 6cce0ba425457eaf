import { register } from 'node:module';
import { COUNTER } from './instrument.js';

/** More than the tested code has. */
const MAX_BLOCKS = 1 << 17;

let seen = new Uint8Array(MAX_BLOCKS);
let fresh = 0;
let isCounting = false;

/**
 * Lets what is imported from now on note its blocks. Static imports are over by then: a module that
 * calls this imports the targets by `import()` afterwards.
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

/** Which blocks of the tested code ran since this was made. One is in use at a time. */
export class Coverage {
  blocks = 0;

  constructor() {
    seen = new Uint8Array(MAX_BLOCKS);
    fresh = 0;
  }

  /** How many blocks ran for the first time since the last call. */
  take(): number {
    const found = fresh;
    fresh = 0;
    this.blocks += found;
    return found;
  }
}
