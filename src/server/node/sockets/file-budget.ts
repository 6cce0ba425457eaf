/** Shares the open files of the process: connections leave some to the log and snapshots. */
import { readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { LIMITS } from '../../limits/limits.js';

/** The reserved share of a limit that is smaller. */
const SHARE = 8;
/** A server without a client has some 50 open files. */
const FEWEST = 96;

export class FileBudget {
  /** The limit of the process; Infinity if it is unknown. */
  readonly files: number;
  /** Open files that clients leave to others. */
  readonly reserved: number;
  private sockets = 0;

  constructor(files: number) {
    this.files = files;
    const share = Math.max(FEWEST, Math.floor(files / SHARE));
    this.reserved = Math.min(share, LIMITS.reservedFiles.value, Math.floor(files / 2));
  }

  /** The connections that clients may open. */
  get clients(): number {
    return this.files - this.reserved;
  }

  /**
   * False if the socket must be closed. Other servers and operators may use half of the files that
   * clients leave, so clients cannot lock them out.
   */
  take(socket: Pick<Socket, 'once'>, isClient: boolean): boolean {
    const reserved = isClient ? this.reserved : Math.floor(this.reserved / 2);
    if (this.sockets >= this.files - reserved) return false;
    this.sockets++;
    socket.once('close', () => {
      this.sockets--;
    });
    return true;
  }
}

/** Shared by all servers of this process. */
export const fileBudget = new FileBudget(maxFiles());

function maxFiles(): number {
  try {
    const limits = readFileSync('/proc/self/limits', 'utf8');
    return Number(/^Max open files\s+(\d+)/m.exec(limits)?.[1] ?? Number.POSITIVE_INFINITY);
  } catch {
    // Only Linux has it.
    return Number.POSITIVE_INFINITY;
  }
}
