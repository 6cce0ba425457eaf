/** Without a terminal, prints one line per change. */

export interface ShownMember {
  readonly sid: number;
  readonly clientPort: number;
  readonly pid: number;
  readonly isRunning: boolean;
  /** leader, follower, observer, starting, no leader, or ended with the reason. */
  readonly state: string;
  readonly zxid: string;
  readonly connections: string;
}

export interface EnsembleScreen {
  show(members: readonly ShownMember[]): void;
  /** Prints a permanent message. */
  print(line: string): void;
  writeOut(text: string): void;
  close(): void;
}

export function lineScreen(io: {
  writeOut(text: string): void;
  writeError(line: string): void;
}): EnsembleScreen {
  const reported = new Map<number, string>();
  return {
    show: (members) => {
      for (const { sid, clientPort, pid, state } of members) {
        if (reported.get(sid) === state) continue;
        reported.set(sid, state);
        io.writeError(`server ${sid} (127.0.0.1:${clientPort}, process ${pid}): ${state}`);
      }
    },
    print: (line) => io.writeError(line),
    writeOut: (text) => io.writeOut(text),
    close: () => undefined,
  };
}
