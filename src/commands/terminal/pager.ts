import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program that shows text page by page, and owns the terminal meanwhile. */
export interface Pager {
  /** Resolves when the pager can take more. Drops text after the user quits. */
  write(text: string): Promise<void>;
  end(): void;
  /** Resolves when the user quits; with false if the pager did not start. */
  readonly left: Promise<boolean>;
}

const LESS = 'less -FRX';

/** Undefined without a pager. @param configured false turns paging off */
export function pagerCommand(
  env: Readonly<Record<string, string | undefined>>,
  configured?: boolean | string,
): string | undefined {
  if (configured === false || configured === '') return undefined;
  if (typeof configured === 'string') return configured;
  const { PAGER, PATH = '' } = env;
  if (PAGER !== undefined) return PAGER.trim() === '' ? undefined : PAGER;
  return PATH.split(delimiter).some((folder) => isProgram(join(folder, 'less'))) ? LESS : undefined;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

export async function openPager(command: string, signal: AbortSignal): Promise<Pager> {
  const { execa } = await import('execa');
  const running = execa('/bin/sh', ['-c', command], {
    // git uses the same options for less.
    env: { LESS: process.env['LESS'] ?? 'FRX' },
    stdio: ['pipe', 'inherit', 'inherit'],
    reject: false,
    cancelSignal: signal,
  });
  const { stdin } = running;
  let isLeft = false;
  // A pager that ends early closes the pipe: ignore EPIPE.
  stdin.on('error', () => undefined);
  const left = running.then(({ exitCode }) => {
    isLeft = true;
    return exitCode !== 126 && exitCode !== 127;
  });
  return {
    left,
    write: async (text) => {
      if (isLeft || stdin.write(text)) return;
      await Promise.race([new Promise<void>((resolve) => stdin.once('drain', resolve)), left]);
    },
    end: () => void stdin.end(),
  };
}
