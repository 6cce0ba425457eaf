import { safeLine } from '../../protocol/sanitize.js';
import type { Change, Level, RunResult } from '../ensemble/verdict/result.js';
import { wrap } from '../terminal/text-width.js';
import type { Paints } from './paints.js';

interface Note {
  readonly level: Level;
  readonly servers: string[];
}

interface FooterContent extends Pick<RunResult, 'verdict' | 'changes' | 'members'> {
  readonly notes?: readonly string[];
}

/** Identical problems share a footnote. Plain rows have no healthy verdict. */
export function footer(
  content: FooterContent,
  width: number,
  paints: Paints,
  isPlain = false,
): string {
  const { level, summary } = content.verdict;
  const notes = (content.notes ?? []).map((text) => `${wrap(safeLine(text), width)}\n`);
  const lines = [
    ...footnotes(content, width, paints),
    ...notes,
    ...changeNotes(content.changes, width),
    ...runbookNote(content.verdict, width),
  ];
  const last = wrap(`${level.toUpperCase()}: ${safeLine(summary)}`, width);
  if (!isPlain || level !== 'healthy') lines.push(`${paints.level(level, paints.bold(last))}\n`);
  return lines.length === 0 ? '' : `\n${lines.join('')}`;
}

/** The entries of docs/runbook.md about the findings. */
function runbookNote({ problems, pending = [] }: RunResult['verdict'], width: number): string[] {
  const names = [...new Set([...problems, ...pending].map(({ code }) => code))];
  return names.length === 0 ? [] : [`${wrap(`See runbook: ${names.join(', ')}`, width)}\n`];
}

function footnotes({ verdict, members }: FooterContent, width: number, paints: Paints): string[] {
  const notes = new Map<string, Note>();
  const add = (level: Level, text: string, server: string | undefined) => {
    const note = notes.get(text) ?? { level, servers: [] };
    if (server !== undefined && !note.servers.includes(server)) note.servers.push(server);
    notes.set(text, note);
  };
  for (const { level, text, server } of [...verdict.problems, ...(verdict.pending ?? [])]) {
    // The last line already has this text.
    if (text !== verdict.summary) add(level, text, server);
  }
  for (const { note, server } of members) {
    if (note !== undefined) add('healthy', `${note.message}; ${note.advice}`, server);
  }
  return [...notes].map(([text, { level, servers }]) => {
    const about = servers.join(', ');
    const whole = wrap(safeLine(about === '' ? `${text}.` : `${about}: ${text}.`), width);
    const isPainted = level !== 'healthy' && about !== '' && whole.startsWith(`${about}:`);
    return isPainted ? `${paints.level(level, about)}${whole.slice(about.length)}\n` : `${whole}\n`;
  });
}

function changeNotes(changes: RunResult['changes'] = [], width: number): string[] {
  if (changes.length === 0) return [];
  const lines = changes.map((change) => `${wrap(safeLine(`- ${changeText(change)}`), width)}\n`);
  return ['New since the previous run:\n', ...lines];
}

const WORDS = { recovered: 'RECOVERED', role: 'CHANGED', restart: 'CHANGED', election: 'CHANGED' };

/** `RECOVERED zk1:2181: ended, first found …`, for -q and the table. */
function changeText({ kind, level, server, text }: Change): string {
  const word = kind === 'problem' || kind === 'level' ? level.toUpperCase() : WORDS[kind];
  return `${word} ${server === undefined ? '' : `${server}: `}${text}`;
}

type Timed = Pick<RunResult, 'time' | 'verdict' | 'changes'>;

/** For cron: one line for each problem, or with a state for each change; nothing when healthy. */
export function problemLines({ time, verdict, changes }: Timed): string {
  const texts = changes?.map(changeText);
  const problems = verdict.problems.map(
    ({ level, server, text }) =>
      `${level.toUpperCase()} ${server === undefined ? '' : `${server}: `}${text}`,
  );
  return (texts ?? problems).map((text) => `${time} ${safeLine(text)}\n`).join('');
}
