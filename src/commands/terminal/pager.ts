import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** A program that shows a text page by page, and owns the terminal meanwhile. */
export interface Pager {
  /** Resolves when there is room for more; drops text after the user quit. */
  write(text: string): Promise<void>;
  /** Ends the text. */
  end(): void;
  /**
   * Resolves when the user quits, before or after the end of the text; with false if it could not
   * run, and showed nothing.
   */
  readonly left: Promise<boolean>;
}

const LESS = 'less -FRX';

/**
 * The line of sh that pages: as configured, or $PAGER, or less; undefined without one.
 * @param configured false for never
 */
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

/** @param signal ends it */
export async function openPager(command: string, signal: AbortSignal): Promise<Pager> {
  const { execa } = await import('execa');
  const running = execa('/bin/sh', ['-c', command], {
    // As in git, for a pager without options.
    env: { LESS: process.env['LESS'] ?? 'FRX' },
    stdio: ['pipe', 'inherit', 'inherit'],
    reject: false,
    cancelSignal: signal,
  });
  const { stdin } = running;
  let isLeft = false;
  // A user who quits early does not need the rest.
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
