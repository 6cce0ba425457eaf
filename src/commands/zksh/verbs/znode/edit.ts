import { isUtf8 } from 'node:buffer';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ZooKeeperError } from '../../../../client/base/errors.js';
import type { Stat } from '../../../../protocol/data.js';
import { baseName } from '../../../../protocol/path.js';
import { CommandError } from '../../../program/command-error.js';
import { ExitCode } from '../../../program/exit-status.js';
import { mergeLines } from '../../../results/merge-lines.js';
import type { Result } from '../../../results/result.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';

export const edit = defineCommand({
  name: 'edit',
  group: 'znode',
  summary: 'Edit the data of a znode as text',
  description:
    'Opens $VISUAL, $EDITOR, or vi, and writes the saved text to the znode. If another client changed the znode meanwhile, edit merges changes to different lines. On a conflict, the file shows all three versions with conflict markers, and the editor opens again. In a script, a conflict keeps the file, prints its name, and exits with status 7. A final newline that the editor added is removed.',
  options: {},
  args: { path: { kind: 'path', summary: 'the znode' } },
  isMutating: true,
  examples: [{ line: 'edit /app/config', summary: 'Edit a configuration in your editor' }],
  async run(context, { args: { path } }): Promise<Result> {
    const lend = lendTerminal(context);
    const folder = await mkdtemp(join(tmpdir(), 'zksh-edit-'));
    const file = join(folder, fileName(path));
    let isKept = false;
    try {
      return await editUntilSet(context, path, file, lend);
    } catch (error) {
      // The user's edits must survive a conflict.
      isKept = error instanceof CommandError && error.code === 'CONFLICT';
      throw error;
    } finally {
      if (!isKept) await rm(folder, { recursive: true, force: true });
    }
  },
});

/** Editors read signs in names: `x:5` is line 5, and file systems have limits. */
function fileName(path: string): string {
  const name = baseName(path).replace(/[^\p{L}\p{N}_.-]|^[-.]+/gu, '_');
  return `${name.slice(0, 50) || 'root'}.txt`;
}

type Lend = (use: () => Promise<void>) => Promise<void>;

function lendTerminal(context: CommandContext): Lend {
  if (context.lendTerminal !== undefined) return context.lendTerminal;
  if (!context.isInteractive) return (use) => use();
  throw new CommandError('edit: cannot open an editor here', {
    code: 'NOTERMINAL',
    hint: "run zksh HOST -c 'edit PATH' instead",
  });
}

interface Version {
  readonly text: string;
  readonly stat: Stat;
}

async function read({ client }: CommandContext, path: string): Promise<Version> {
  const { data, stat } = await client.getData(path);
  const bytes = data ?? Buffer.alloc(0);
  if (isUtf8(bytes)) return { text: bytes.toString(), stat };
  throw new CommandError(`${path}: data is not UTF-8 text`, {
    code: 'NOTTEXT',
    path,
    hint: 'export it with get --to FILE, then import it with set PATH @FILE',
  });
}

async function editUntilSet(
  context: CommandContext,
  path: string,
  file: string,
  lend: Lend,
): Promise<Result> {
  let base = await read(context, path);
  let text = base.text;
  for (;;) {
    await writeFile(file, text, { mode: 0o600 });
    await lend(() => openEditor(file));
    text = await readEdited(file, base.text);
    if (text === base.text) {
      return { kind: 'message', text: 'No changes', fields: { path, isChanged: false } };
    }
    const outcome = await setOrMerge(context, path, base, text);
    if (outcome.kind === 'set') {
      return { kind: 'changed', path, stat: outcome.stat, isStatShown: false };
    }
    base = outcome.current;
    text = outcome.text;
    await writeFile(file, text, { mode: 0o600 });
    await askAgain(context, path, file);
  }
}

type SetOutcome =
  | { readonly kind: 'set'; readonly stat: Stat }
  | { readonly kind: 'conflict'; readonly current: Version; readonly text: string };

/** Merges the text with changes of other clients since the znode was read. */
async function setOrMerge(
  context: CommandContext,
  path: string,
  base: Version,
  edited: string,
): Promise<SetOutcome> {
  let [known, text] = [base, edited];
  for (;;) {
    try {
      const stat = await context.client.setData(path, Buffer.from(text), known.stat.version);
      return { kind: 'set', stat };
    } catch (error) {
      if (!(error instanceof ZooKeeperError) || error.code !== 'BADVERSION') throw error;
    }
    const current = await read(context, path);
    const merged = mergeLines(known.text, text, current.text);
    if (merged.conflicts > 0) return { kind: 'conflict', current, text: merged.text };
    [known, text] = [current, merged.text];
  }
}

async function askAgain(context: CommandContext, path: string, file: string): Promise<void> {
  const question = `${path}: another client changed the same lines. Edit all three versions?`;
  if (context.isInteractive && (await context.confirm(question))) return;
  throw new CommandError(`${path}: another client changed the same lines`, {
    code: 'CONFLICT',
    exitCode: ExitCode.badVersion,
    path,
    hint: `the znode is unchanged; ${file} has your version, the original, and the version on the server`,
  });
}

async function readEdited(file: string, before: string): Promise<string> {
  const text = await readFile(file, 'utf8');
  return text.endsWith('\n') && !before.endsWith('\n') ? text.slice(0, -1) : text;
}

async function openEditor(file: string): Promise<void> {
  const { VISUAL, EDITOR } = process.env;
  const editor = VISUAL || EDITOR || 'vi';
  const { execa } = await import('execa');
  try {
    // The variable may contain options, so a shell splits it, as in other programs.
    await execa('/bin/sh', ['-c', `${editor} "$1"`, 'sh', file], { stdio: 'inherit' });
  } catch (cause) {
    throw new CommandError(`edit: editor failed, znode unchanged: ${editor}`, {
      code: 'EDITOR',
      hint: 'set $VISUAL or $EDITOR to another editor',
      cause,
    });
  }
}
