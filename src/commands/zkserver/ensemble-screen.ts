/** How an ensemble on this machine is shown: where there is no terminal, by a line a change. */

/** What one of its servers is. */
export interface ShownMember {
  readonly sid: number;
  readonly clientPort: number;
  readonly pid: number;
  readonly isRunning: boolean;
  /** leader, follower, observer; starting; no leader; ended, with how it ended. */
  readonly state: string;
  readonly zxid: string;
  readonly connections: string;
}

export interface EnsembleScreen {
  show(members: readonly ShownMember[]): void;
  /** A sentence that stays. */
  say(line: string): void;
  /** What other programs read: it goes to stdout. */
  tell(text: string): void;
  close(): void;
}

export function lineScreen(io: {
  writeOut(text: string): void;
  writeError(line: string): void;
}): EnsembleScreen {
  const told = new Map<number, string>();
  return {
    show: (members) => {
      for (const { sid, clientPort, pid, state } of members) {
        if (told.get(sid) === state) continue;
        told.set(sid, state);
        io.writeError(`server ${sid} (127.0.0.1:${clientPort}, process ${pid}): ${state}`);
      }
    },
    say: (line) => io.writeError(line),
    tell: (text) => io.writeOut(text),
    close: () => undefined,
  };
}
