/** How an ensemble on this machine is shown: a table that stays in place, or a line a change. */
import { drawTable } from '../terminal/draw-table.js';
import type { EnsembleMember } from './ensemble-member.js';

/** To the beginning of the line `count` lines above, and everything from there on cleared. */
const clearAbove = (count: number): string => (count === 0 ? '' : `\u001b[${count}A\r\u001b[J`);

const TITLES = [
  { text: 'SERVER', isRight: true },
  { text: 'CLIENTS AT', isRight: false },
  { text: 'ROLE', isRight: false },
  { text: 'ZXID', isRight: true },
  { text: 'CONNECTIONS', isRight: true },
  { text: 'PROCESS', isRight: true },
];

export class EnsembleScreen {
  /** Null where there is no terminal. */
  private readonly terminal: ((text: string) => void) | null;
  private readonly writeLine: (line: string) => void;
  private drawnLines = 0;
  private drawn = '';
  /** What was told of each member last. */
  private readonly told = new Map<EnsembleMember, string>();

  constructor(terminal: ((text: string) => void) | null, writeLine: (line: string) => void) {
    this.terminal = terminal;
    this.writeLine = writeLine;
  }

  show(members: readonly EnsembleMember[]): void {
    if (this.terminal === null) this.tellChanges(members);
    else this.draw(members, this.terminal);
  }

  /** A sentence that stays, above the table. */
  say(line: string): void {
    this.clear();
    this.writeLine(line);
  }

  /** Before something else is written to the terminal. */
  clear(): void {
    this.terminal?.(clearAbove(this.drawnLines));
    this.drawnLines = 0;
    this.drawn = '';
  }

  private draw(members: readonly EnsembleMember[], write: (text: string) => void): void {
    const rows = members.map(({ seat, status, pid, isRunning }) => [
      { text: `${seat.sid}`, isRight: true },
      { text: `127.0.0.1:${seat.clientPort}`, isRight: false },
      { text: status.state, isRight: false },
      { text: status.zxid, isRight: true },
      { text: status.connections, isRight: true },
      { text: isRunning ? `${pid}` : '-', isRight: true },
    ]);
    const table = `${drawTable(TITLES, rows)}Ctrl-C stops all of them.\n`;
    if (table === this.drawn) return;
    write(`${clearAbove(this.drawnLines)}${table}`);
    this.drawn = table;
    this.drawnLines = table.split('\n').length - 1;
  }

  private tellChanges(members: readonly EnsembleMember[]): void {
    for (const member of members) {
      const { seat, status, pid } = member;
      if (this.told.get(member) === status.state) continue;
      this.told.set(member, status.state);
      const place = `127.0.0.1:${seat.clientPort}, process ${pid}`;
      this.writeLine(`server ${seat.sid} (${place}): ${status.state}`);
    }
  }
}
