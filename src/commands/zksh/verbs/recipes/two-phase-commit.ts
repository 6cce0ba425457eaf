import type { Verdict } from '../../../../recipes/transaction.js';
import { TwoPhaseCommit } from '../../../../recipes/two-phase-commit.js';
import { usageError } from '../../../program/command-error.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';
import { waitOption } from './options.js';
import { inRecipe } from './while-held.js';

export const twoPhaseCommit = defineCommand({
  name: '2pc',
  group: 'recipes',
  summary: 'have all sites commit or none',
  description:
    'run makes the transaction, waits for the votes of the sites, prints the decision, and removes the transaction when all sites know it; the exit code is 0 for commit and 1 for abort. A vote that does not come within --wait is an abort. vote casts the vote of one site, waits for the decision, prints it and has the same exit codes; who voted waits until somebody decides. ls prints what is known.',
  options: {
    wait: { ...waitOption, summary: 'of run: for the votes; of vote: for the decision' },
    ephemeral: {
      summary: 'of run: sites make their own znodes, and one whose session ends makes it an abort',
    },
  },
  args: {
    action: { kind: 'text', choices: ['run', 'vote', 'abort', 'ls'], summary: 'what to do' },
    path: { kind: 'path', summary: 'the znode of the transaction, its own' },
    words: {
      kind: 'text',
      isVariadic: true,
      isOptional: true,
      summary: 'of run: the sites; of vote: the site and commit or abort',
    },
  },
  examples: [
    { line: '2pc run /tx/42 db1 db2 --wait 10000', summary: 'the coordinator' },
    { line: '2pc vote /tx/42 db1 commit', summary: 'a site' },
  ],
  isMutating: true,
  isGraceful: true,
  isReading: ({ args }) => args.action === 'ls',
  check({ args: { action, words }, tokens }) {
    if (action === 'run' && words.length === 0) throw usageError('run needs sites', tokens.path);
    if (action === 'vote' && (words.length !== 2 || verdictOf(words[1]) === undefined)) {
      throw usageError('vote needs a site, and commit or abort', tokens.words ?? tokens.path);
    }
    if ((action === 'ls' || action === 'abort') && words.length > 0) {
      throw usageError(`${action} takes a path alone`, tokens.words);
    }
  },
  run(context, { args: { action, path, words }, options }): Promise<Result> {
    const { client, signal } = context;
    const transaction = new TwoPhaseCommit(client, path);
    const limits = { signal, timeoutMs: options.wait };
    return inRecipe(context, async () => {
      switch (action) {
        case 'run': {
          await transaction.begin(words, options.ephemeral ? 'sites' : 'coordinator');
          const decision = await decide(transaction, limits);
          await context.emit(decisionResult(path, decision));
          await transaction.finish({ signal });
          return exitWith(decision);
        }
        case 'vote': {
          const [site = '', word] = words;
          await transaction.vote(site, verdictOf(word) ?? 'abort', signal);
          const decision = await transaction.decision(limits);
          await transaction.acknowledge(site);
          await context.emit(decisionResult(path, decision));
          return exitWith(decision);
        }
        case 'abort':
          return decisionResult(path, await transaction.abort());
        default:
          return listed(path, transaction);
      }
    });
  },
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

function verdictOf(word: string | undefined): Verdict | undefined {
  return word === 'commit' || word === 'abort' ? word : undefined;
}
