import type { Verdict } from '../../../../recipes/synchronizers/transaction.js';
import { TwoPhaseCommit } from '../../../../recipes/synchronizers/two-phase-commit.js';
import { defineFamily } from '../../../machine/subcommands.js';
import type { Result } from '../../../results/result.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import { waitOption } from './options.js';
import { inRecipe } from './while-held.js';

const transactionPath = { kind: 'path', summary: 'a znode for this transaction only' } as const;
const exitCodes = 'The exit status is 0 for commit and 1 for abort.';

const run = defineCommand({
  name: '2pc run',
  group: 'recipes',
  summary: 'Coordinate a transaction by the votes of its sites',
  description: `Prints the decision and removes the transaction when all sites know it. ${exitCodes} A vote missing after --wait counts as abort.`,
  options: {
    wait: { ...waitOption, summary: 'the maximum wait for votes, in milliseconds' },
    ephemeral: {
      summary: 'sites create ephemeral znodes; a site whose session ends votes abort',
    },
    payload: {
      kind: 'text',
      valueName: 'TEXT',
      summary: 'what the sites vote on; 2pc ls prints it',
    },
  },
  args: {
    path: transactionPath,
    sites: { kind: 'text', isVariadic: true, summary: 'the names of the sites' },
  },
  examples: [
    {
      line: '2pc run /tx/42 db1 db2 --wait 10000',
      summary: 'Coordinate a transaction of two databases',
    },
  ],
  isMutating: true,
  isGraceful: true,
  run(context, { args: { path, sites }, options }): Promise<Result> {
    const { client, signal } = context;
    const transaction = new TwoPhaseCommit(client, path);
    return inRecipe(context, async () => {
      await transaction.begin(sites, options.ephemeral ? 'sites' : 'coordinator', options.payload);
      const decision = await decide(transaction, { signal, timeoutMs: options.wait });
      await context.emit(decisionResult(path, decision));
      await transaction.finish({ signal });
      return exitWith(decision);
    });
  },
});

const vote = defineCommand({
  name: '2pc vote',
  group: 'recipes',
  summary: 'Vote for one site, then wait for the decision and print it',
  description: `${exitCodes} The command waits until the coordinator decides. With --decide, a vote missing after --wait counts as abort.`,
  options: {
    wait: waitOption,
    decide: { summary: 'decide when all have voted, also without the coordinator' },
  },
  args: {
    path: transactionPath,
    site: { kind: 'text', summary: 'the name of the site' },
    verdict: { kind: 'text', choices: ['commit', 'abort'], summary: 'commit or abort' },
  },
  examples: [{ line: '2pc vote /tx/42 db1 commit', summary: 'Vote commit for db1' }],
  isMutating: true,
  isGraceful: true,
  run(context, { args: { path, site, verdict }, options }): Promise<Result> {
    const { client, signal } = context;
    const transaction = new TwoPhaseCommit(client, path);
    return inRecipe(context, async () => {
      await transaction.vote(site, verdict === 'commit' ? 'commit' : 'abort', { signal });
      const limits = { signal, timeoutMs: options.wait };
      const decision = await (options.decide
        ? transaction.decide(limits)
        : transaction.decision(limits));
      await transaction.acknowledge(site);
      await context.emit(decisionResult(path, decision));
      return exitWith(decision);
    });
  },
});

const abort = defineCommand({
  name: '2pc abort',
  group: 'recipes',
  summary: 'Abort an undecided transaction',
  options: {},
  args: { path: transactionPath },
  examples: [{ line: '2pc abort /tx/42', summary: 'Abort after the coordinator has died' }],
  isMutating: true,
  isGraceful: true,
  run(context, { args: { path } }): Promise<Result> {
    const transaction = new TwoPhaseCommit(context.client, path);
    return inRecipe(context, async () => decisionResult(path, await transaction.abort()));
  },
});

const ls = defineCommand({
  name: '2pc ls',
  group: 'recipes',
  summary: 'Print the decision and the votes so far',
  options: {},
  args: { path: transactionPath },
  examples: [{ line: '2pc ls /tx/42', summary: 'Find the sites that have not voted' }],
  run(context, { args: { path } }): Promise<Result> {
    return inRecipe(context, () => listed(path, new TwoPhaseCommit(context.client, path)));
  },
});

export const twoPhaseCommit = defineFamily({
  name: '2pc',
  group: 'recipes',
  summary: 'Commit or abort a transaction on all sites',
  subcommands: [run, vote, abort, ls],
});

/** An interrupted coordinator aborts, so that no site waits for it. */
async function decide(
  transaction: TwoPhaseCommit,
  limits: { readonly signal: CommandContext['signal']; readonly timeoutMs: number | undefined },
): Promise<Verdict> {
  try {
    return await transaction.decide(limits);
  } catch (error) {
    if (limits.signal.aborted) await transaction.abort();
    throw error;
  }
}

function decisionResult(path: string, decision: Verdict): Result {
  return { kind: 'message', text: decision, fields: { path, decision } };
}

/** An abort ends a script, like a program with a nonzero exit status. */
function exitWith(decision: Verdict): Result {
  return { kind: 'ran', command: [], exitCode: decision === 'commit' ? 0 : 1 };
}

async function listed(path: string, transaction: TwoPhaseCommit): Promise<Result> {
  const { siteNodes, sites, payload, decision, votes } = await transaction.state();
  const lines = sites.map((site) => `${site}  ${votes.get(site) ?? '-'}`);
  const first = [
    `decision  ${decision ?? 'pending'}`,
    ...(payload === undefined ? [] : [`payload  ${payload}`]),
  ];
  const text = [...first, ...lines].join('\n');
  const fields = { path, siteNodes, decision: decision ?? null, votes: Object.fromEntries(votes) };
  return { kind: 'message', text, fields: { ...fields, payload: payload ?? null, sites } };
}
