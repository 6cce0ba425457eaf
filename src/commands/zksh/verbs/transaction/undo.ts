import { CommandError } from '../../../program/command-error.js';
import { ExitCode } from '../../../program/exit-status.js';
import { namedColumns, type Result } from '../../../results/result.js';
import { makeUndoPlan, type PathReason, takeBack, type UndoPlan } from '../../changes/undo-plan.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import { amountOf } from '../../paths/confirm-many.js';
import type { CommandChanges } from '../../session/change-journal.js';

export const undo = defineCommand({
  name: 'undo',
  group: 'shell',
  summary: 'Undo the last changing command of this prompt',
  description:
    'The prompt keeps the previous data and ACLs in memory, for up to 10,000 znodes and 16 MiB. undo shows its steps and asks for confirmation. If another client changed a znode since then, undo changes nothing and exits with status 7. Up to 500 znodes are restored in one transaction; ACLs follow one by one. A second undo reverts the first. A restored znode is new: its czxid, times, versions, and sequence numbers start over. Containers and TTL nodes are restored as persistent znodes, because servers do not report their type. Ephemerals are restored only if this session owned them. undo does not cover recipes such as lock and queue, reconfig, and changes on another cluster. It is not available in scripts or with --client native.',
  options: {
    yes: { letter: 'y', summary: 'skip the confirmation' },
    'dry-run': { letter: 'n', summary: 'show the steps without running them' },
  },
  args: {},
  isMutating: true,
  examples: [
    { line: 'undo -n', summary: 'Preview the steps of undo' },
    { line: 'undo', summary: 'Undo the last change' },
  ],
  async run(context, { options }): Promise<Result> {
    const changes = lastChanges(context);
    const plan = await makeUndoPlan(context.client, changes);
    await show(context, plan, options['dry-run']);
    if (plan.conflicts.length > 0) throw conflict(changes, plan.conflicts);
    const paths = [...new Set(plan.steps.map(({ path }) => path))];
    if (plan.steps.length === 0)
      throw nothing(`undo: cannot restore anything changed by ${changes.title}`);
    if (options['dry-run']) return { kind: 'end' };
    const question = `undo ${changes.title}, ${amountOf(paths)}?`;
    if (!options.yes && !(await context.confirm(question))) {
      throw new CommandError('undo: canceled', { code: 'REFUSED' });
    }
    await takeBack(context.client, plan);
    const count = paths.length;
    return {
      kind: 'message',
      text: `Undone: ${changes.title}, ${amountOf(paths)}`,
      fields: { undone: changes.title, count, lost: plan.lost.length },
    };
  },
});

function lastChanges({ session }: CommandContext): CommandChanges {
  const { journal } = session;
  if (journal === undefined) {
    throw new CommandError('undo: no changes are recorded here', {
      code: 'NOUNDO',
      exitCode: ExitCode.usage,
      hint: 'undo works at a prompt that is not read-only or a dry run, with the builtin client',
    });
  }
  const { last } = journal;
  if (last === undefined) throw nothing('undo: nothing to undo');
  if (last.target !== session.target)
    throw nothing(`undo: ${last.title} changed another cluster: ${last.target}`);
  if (last.refusal !== undefined) {
    throw nothing(`undo: cannot undo ${last.title}: ${last.refusal}`);
  }
  return last;
}

function nothing(sentence: string): CommandError {
  return new CommandError(sentence, { code: 'NOUNDO' });
}

function conflict({ title }: CommandChanges, conflicts: readonly PathReason[]): CommandError {
  const [first] = conflicts;
  const more = conflicts.length > 1 ? `, and ${conflicts.length - 1} more` : '';
  return new CommandError(
    `undo: cannot undo ${title}: changed since: ${first?.path} (${first?.why})${more}`,
    {
      code: 'CONFLICT',
      exitCode: ExitCode.badVersion,
      ...(first === undefined ? {} : { path: first.path }),
      hint: 'undo changed nothing',
    },
  );
}

/** Keeps the list before the question short. The most important rows come last. */
const MAX_SHOWN = 20;

async function show(context: CommandContext, plan: UndoPlan, isWhole: boolean): Promise<void> {
  const { steps, conflicts, lost } = plan;
  const said = (what: string, list: readonly PathReason[]) =>
    list.map(({ path, why }) => [what, path, why]);
  const lists = [
    steps.map(({ what, path, detail }) => [what, path, detail || undefined]),
    said('changed since', conflicts),
    said('cannot undo', lost),
  ];
  const shown = isWhole ? lists : lists.map((list) => list.slice(0, MAX_SHOWN));
  const columns = namedColumns('undo', 'path', 'detail');
  await context.emit({ kind: 'rows', columns, rows: shown.flat() });
  const left = lists.flat().length - shown.flat().length;
  if (left === 0) return;
  const text = `... and ${left} more; undo -n shows all`;
  await context.emit({ kind: 'message', text, fields: { notShown: left } });
}
