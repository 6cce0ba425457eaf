import { counted } from '../../../program/counted.js';
import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';
import { noTransaction } from './transaction.js';

export const abort = defineCommand({
  name: 'abort',
  group: 'znode',
  summary: 'Discard the open transaction',
  options: {},
  args: {},
  isLocal: true,
  examples: [{ line: 'begin; delete /app/config; abort', summary: 'Discard a queued delete' }],
  async run({ session }): Promise<Result> {
    const ops = session.transaction;
    if (ops === undefined) throw noTransaction();
    session.transaction = undefined;
    const count = ops.length;
    const text = `${counted(count, 'operation')} discarded`;
    return { kind: 'message', text, fields: { forgotten: count } };
  },
});
