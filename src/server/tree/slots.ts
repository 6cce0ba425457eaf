import type { Znode } from './znode.js';

/** The place of a znode in the tables; the rest of the server knows it only as a Znode. */
export function slotOf(znode: Znode): number {
  return znode as unknown as number;
}

export function znodeAt(slot: number): Znode {
  return slot as unknown as Znode;
}

/** The same generator: another one around it would double the time of a walk. */
export function znodesAt(slots: Generator<number, void>): Generator<Znode, void> {
  return slots as unknown as Generator<Znode, void>;
}
