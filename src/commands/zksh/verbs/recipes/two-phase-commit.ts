import type { Verdict } from '../../../../recipes/transaction.js';
import { TwoPhaseCommit } from '../../../../recipes/two-phase-commit.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import { defineFamily } from '../../engine/subcommands.js';
import type { Result } from '../../results/result.js';
import { waitOption } from './options.js';
import { inRecipe } from './while-held.js';

const transactionPath = { kind: 'path', summary: 'the znode of the transaction, its own' } as const;
const exitCodes = 'The exit code is 0 for commit and 1 for abort.';

const run = defineCommand({
  name: '2pc run',
  group: 'recipes',
  summary: 'make a transaction, and decide it by the votes of its sites',
  description: `Prints the decision, and removes the transaction when all sites know it. ${exitCodes} A vote that does not come within --wait is an abort.`,
  options: {
    wait: { ...waitOption, summary: 'how long to wait for the votes' },
    ephemeral: {
      summary: 'sites make their own znodes, and one whose session ends makes it an abort',
    },
  },
  args: {
    path: transactionPath,
    sites: { kind: 'text', isVariadic: true, summary: 'the names of the sites' },
  },
  examples: [{ line: '2pc run /tx/42 db1 db2 --wait 10000', summary: 'the coordinator' }],
  isMutating: true,
  isGraceful: true,
  run(context, { args: { path, sites }, options }): Promise<Result> {
    const { client, signal } = context;
    const transaction = new TwoPhaseCommit(client, path);
    return inRecipe(context, async () => {
      await transaction.begin(sites, options.ephemeral ? 'sites' : 'coordinator');
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
  summary: 'cast the vote of one site, wait for the decision and print it',
  description: `${exitCodes} A site that voted waits until somebody decides.`,
  options: { wait: waitOption },
  args: {
    path: transactionPath,
    site: { kind: 'text', summary: 'its name' },
    verdict: { kind: 'text', choices: ['commit', 'abort'], summary: 'commit or abort' },
  },
  examples: [{ line: '2pc vote /tx/42 db1 commit', summary: 'a site' }],
  isMutating: true,
  isGraceful: true,
  run(context, { args: { path, site, verdict }, options }): Promise<Result> {
    const { client, signal } = context;
    const transaction = new TwoPhaseCommit(client, path);
    return inRecipe(context, async () => {
      await transaction.vote(site, verdict === 'commit' ? 'commit' : 'abort', signal);
      const decision = await transaction.decision({ signal, timeoutMs: options.wait });
      await transaction.acknowledge(site);
      await context.emit(decisionResult(path, decision));
      return exitWith(decision);
    });
  },
});

const abort = defineCommand({
  name: '2pc abort',
  group: 'recipes',
  summary: 'abort a transaction, unless it is decided',
  options: {},
  args: { path: transactionPath },
  examples: [{ line: '2pc abort /tx/42', summary: 'when its coordinator is gone' }],
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
  summary: 'print the decision and the votes as far as they are known',
  options: {},
  args: { path: transactionPath },
  examples: [{ line: '2pc ls /tx/42', summary: 'who has voted, and how' }],
  run(context, { args: { path } }): Promise<Result> {
    return inRecipe(context, () => listed(path, new TwoPhaseCommit(context.client, path)));
  },
});

export const twoPhaseCommit = defineFamily({
  name: '2pc',
  group: 'recipes',
  summary: 'have all sites commit or none',
  subcommands: [run, vote, abort, ls],
});

/** A coordinator that is interrupted decides, so that no site waits for it. */
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

/** As a program that ends with this code: a script stops after an abort. */
function exitWith(decision: Verdict): Result {
  return { kind: 'ran', command: [], exitCode: decision === 'commit' ? 0 : 1 };
}

async function listed(path: string, transaction: TwoPhaseCommit): Promise<Result> {
  const { siteNodes, sites, decision, votes } = await transaction.state();
  const lines = sites.map((site) => `${site}  ${votes.get(site) ?? '-'}`);
  const text = [`decision  ${decision ?? 'none yet'}`, ...lines].join('\n');
  const fields = { path, siteNodes, decision: decision ?? null, votes: Object.fromEntries(votes) };
  return { kind: 'message', text, fields: { ...fields, sites } };
}
