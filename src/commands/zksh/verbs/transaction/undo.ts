import { CommandError, ExitCode } from '../../../program/command-error.js';
import { batchesOf, makeUndoPlan, type Said, type UndoPlan } from '../../changes/undo-plan.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import { amountOf } from '../../paths/confirm-many.js';
import type { Result } from '../../results/result.js';
import type { CommandChanges } from '../../session/change-journal.js';

export const undo = defineCommand({
  name: 'undo',
  group: 'shell',
  summary: 'take back what the last changing command of this prompt did',
  description:
    'Of that command the prompt keeps in memory what was there before: data and ACLs, of up to 10,000 znodes and 16 MiB. undo shows what it is going to do, or the first of it, and asks. Where anything was changed since, nothing is done, with exit code 7. Up to 500 znodes are taken back in one transaction, all or none; ACLs one by one behind it. undo again takes the undo back. What is made again is a new znode: its czxid, times, versions and the numbers that its sequential children get begin anew; a container or a znode with a TTL comes back as a persistent one, since servers tell no client which is which; an ephemeral comes back only if it was of this session. Not taken back: what connects several clients (lock, elect, queue and the other recipes), reconfig, and what was done on another cluster. A script keeps nothing, nor does --client native.',
  options: {
    yes: { letter: 'y', summary: 'do not ask' },
    'dry-run': { letter: 'n', summary: 'only show what would be done' },
  },
  args: {},
  isMutating: true,
  examples: [
    { line: 'undo -n', summary: 'look first' },
    { line: 'undo', summary: 'then do it' },
  ],
  async run(context, { options }): Promise<Result> {
    const changes = lastChanges(context);
    const plan = await makeUndoPlan(context.client, changes);
    await show(context, plan, options['dry-run']);
    if (plan.conflicts.length > 0) throw conflict(changes, plan.conflicts);
    const paths = [...new Set(plan.steps.map(({ path }) => path))];
    if (plan.steps.length === 0) throw nothing(`nothing of ${changes.title} can be taken back`);
    if (options['dry-run']) return { kind: 'end' };
    const question = `undo ${changes.title}, ${amountOf(paths)}?\n`;
    if (!options.yes && !(await context.confirm(question))) {
      throw new CommandError('nothing was undone', { code: 'REFUSED' });
    }
    await takeBack(context, plan);
    const count = paths.length;
    return {
      kind: 'message',
      text: `Undone: ${changes.title}, ${amountOf(paths)}`,
      fields: { undone: changes.title, count, lost: plan.lost.length },
    };
  },
});

/** @throws CommandError NOUNDO */
function lastChanges({ session }: CommandContext): CommandChanges {
  const { journal } = session;
  if (journal === undefined) {
    throw new CommandError('undo is for the prompt, where changes are kept', {
      code: 'NOUNDO',
      exitCode: ExitCode.usage,
      hint: 'it keeps none where it is read-only, changes nothing, or has the native client',
    });
  }
  const { last } = journal;
  if (last === undefined) throw nothing('there is nothing to undo');
  if (last.target !== session.target) throw nothing(`${last.title} was done on ${last.target}`);
  if (last.refusal !== undefined) {
    throw nothing(`${last.title} cannot be undone: ${last.refusal}`);
  }
  return last;
}

function nothing(sentence: string): CommandError {
  return new CommandError(sentence, { code: 'NOUNDO' });
}

function conflict({ title }: CommandChanges, conflicts: readonly Said[]): CommandError {
  const [first] = conflicts;
  const more = conflicts.length > 1 ? `, and ${conflicts.length - 1} more` : '';
  return new CommandError(
    `${title} cannot be undone: changed since: ${first?.path} (${first?.why})${more}`,
    {
      code: 'CONFLICT',
      exitCode: ExitCode.badVersion,
      ...(first === undefined ? {} : { path: first.path }),
      hint: 'nothing was undone',
    },
  );
}

/** What somebody has to read before the question is short, and what matters most comes last. */
const MAX_SHOWN = 20;

async function show(context: CommandContext, plan: UndoPlan, isWhole: boolean): Promise<void> {
  const { steps, conflicts, lost } = plan;
  const said = (what: string, list: readonly Said[]) =>
    list.map(({ path, why }) => ({ undo: what, path, detail: why }));
  const lists = [
    steps.map(({ what, path, detail }) => ({ undo: what, path, detail: detail || null })),
    said('changed since', conflicts),
    said('cannot be', lost),
  ];
  const shown = isWhole ? lists : lists.map((list) => list.slice(0, MAX_SHOWN));
  const columns = [{ name: 'undo' }, { name: 'path' }, { name: 'detail' }];
  await context.emit({ kind: 'rows', columns, rows: shown.flat() });
  const left = lists.flat().length - shown.flat().length;
  if (left === 0) return;
  const text = `... and ${left} more, which undo -n shows`;
  await context.emit({ kind: 'message', text, fields: { notShown: left } });
}

async function takeBack({ client }: CommandContext, { steps }: UndoPlan): Promise<void> {
  for (const batch of batchesOf(steps)) await client.multi(batch);
  for (const { path, acl } of steps) {
    if (acl !== undefined) await client.setACL(path, acl.entries, acl.aversion);
  }
}
