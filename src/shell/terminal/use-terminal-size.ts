import { useStdout } from 'ink';
import { useEffect, useState } from 'react';

export interface TerminalSize {
  readonly columns: number;
  readonly rows: number;
}

/** The size of the terminal, which draws anew when it changes. */
export function useTerminalSize(): TerminalSize {
  const { stdout } = useStdout();
  const [size, setSize] = useState(() => sizeOf(stdout));
  useEffect(() => {
    const update = () => setSize(sizeOf(stdout));
    stdout.on('resize', update);
    return () => {
      stdout.off('resize', update);
    };
  }, [stdout]);
  return size;
}

/** A terminal that cannot say its size says 0. */
function sizeOf({ columns, rows }: NodeJS.WriteStream): TerminalSize {
  return { columns: columns || 80, rows: rows || 24 };
}
