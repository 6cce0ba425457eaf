import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';
import { noTransaction, runTransaction } from './transaction.js';

export const commit = defineCommand({
  name: 'commit',
  group: 'znode',
  summary: 'Send the open transaction',
  options: {},
  args: {},
  isMutating: true,
  examples: [
    { line: 'begin; create /app/a; create /app/b; commit', summary: 'Create two znodes or none' },
  ],
  async run(context): Promise<Result> {
    const ops = context.session.transaction;
    if (ops === undefined) throw noTransaction();
    context.session.transaction = undefined;
    if (ops.length === 0) return { kind: 'done', done: 'commit' };
    return runTransaction(context, ops);
  },
});
