import { fstatSync } from 'node:fs';

/** Priorities of syslog, as sd-daemon(3) numbers them. */
const PRIORITIES: Readonly<Record<string, number>> = {
  fatal: 2,
  error: 3,
  warn: 4,
  info: 6,
  debug: 7,
  trace: 7,
};

/**
 * The prefix of a line for the journal of systemd, which takes all lines as information without it
 * (sd-daemon(3)). Empty if standard error is something else: a terminal, a file, a pipe.
 */
export function journalPrefixOf(env: Readonly<Record<string, string | undefined>>) {
  const isJournal = isJournalOf(env['JOURNAL_STREAM']);
  return (level: string): string =>
    isJournal ? `<${PRIORITIES[level] ?? PRIORITIES['info']}>` : '';
}

/** systemd names the socket by device and inode, because programs inherit the variable. */
function isJournalOf(stream: string | undefined): boolean {
  if (stream === undefined) return false;
  try {
    const { dev, ino } = fstatSync(2);
    return stream === `${dev}:${ino}`;
  } catch {
    return false;
  }
}
