import type { ReactNode } from 'react';
import { drawTable } from '../../commands/terminal/draw-table.js';
import { truncate } from '../../commands/terminal/text-width.js';
import type { EnsembleScreen, ShownMember } from '../../commands/zkserver/ensemble-screen.js';
import { safeLine } from '../../protocol/sanitize.js';
import { type MountOptions, mountInk, type ViewProps } from '../terminal/mount-ink.js';
import { Rows } from '../terminal/rows.js';
import type { TerminalSize } from '../terminal/terminal-size.js';
import type { Span } from '../terminal/theme.js';

const left = (text: string) => ({ text, isRight: false });
const right = (text: string) => ({ text, isRight: true });
const TITLES = [
  right('SERVER'),
  left('CLIENTS AT'),
  left('ROLE'),
  right('ZXID'),
  right('CONNECTIONS'),
  right('PROCESS'),
];

/** One row per server, as far as they fit; empty without servers. */
export function EnsembleTable(props: ViewProps<readonly ShownMember[]>): ReactNode {
  return <Rows rows={tableRows(props)} />;
}

function tableRows({ state: members, size }: ViewProps<readonly ShownMember[]>) {
  if (members.length === 0) return [];
  const table = drawTable(TITLES, members.map(cellsOf)).trimEnd().split('\n');
  // Reserve rows for titles and keys, and one more: Ink clears a full terminal.
  const room = Math.max(1, size.rows - 3);
  const isFull = members.length > room;
  const shown = isFull ? table.slice(0, room) : table;
  const rest = isFull ? [`… and ${table.length - room} more`] : [];
  return [...shown, ...rest, 'Ctrl-C stops all servers.'].map((text): Span[] => [
    { text: truncate(text, size.columns), tone: 'plain' },
  ]);
}

function cellsOf(member: ShownMember) {
  const { sid, clientPort, pid, isRunning, state, zxid, connections } = member;
  return [
    right(`${sid}`),
    left(`127.0.0.1:${clientPort}`),
    left(safeLine(state)),
    right(zxid),
    right(connections),
    right(isRunning ? `${pid}` : '-'),
  ];
}

/** @param options stdout gets the table, stderr the other output */
export function openTable(options: MountOptions): EnsembleScreen {
  let members: readonly ShownMember[] = [];
  const listeners = new Set<() => void>();
  const source = {
    get state() {
      return members;
    },
    subscribe: (listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const frame = (size: TerminalSize) => {
    const rows = tableRows({ state: members, size });
    return { rows, cursor: { x: 0, y: rows.length } };
  };
  const mount = mountInk(source, EnsembleTable, { ...options, frame, isKept: true });
  return {
    show: (next) => {
      members = next;
      for (const listener of listeners) listener();
    },
    print: (line) => mount.writeAbove(`${safeLine(line)}\n`),
    writeOut: mount.writeOther,
    close: mount.close,
  };
}
