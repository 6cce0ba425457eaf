import type { Op } from '../../../../client/base/client.js';
import { parseArguments } from '../../../machine/parse-arguments.js';
import { usageError } from '../../../program/command-error.js';
import { namedColumns, type Result } from '../../../results/result.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import { findCall } from '../../engine/find-call.js';
import { parseLine, type Token } from '../../language/parse-line.js';
import { toOp } from '../../paths/op-of.js';
import { runTransaction } from './transaction.js';

export const txn = defineCommand({
  name: 'txn',
  group: 'znode',
  summary: 'Run several operations as one transaction',
  description:
    'Each operation is one quoted argument: create, set, delete, or check, with its options. A row shows the outcome of each operation. begin and commit do the same over several lines.',
  options: { 'dry-run': { letter: 'n', summary: 'list the operations without running them' } },
  args: { operations: { kind: 'text', isVariadic: true, summary: "'create /a x', 'check /b 3'" } },
  isMutating: true,
  // Parse every operation before connecting.
  isLocal: true,
  examples: [
    {
      line: "txn 'check /app 0' 'set /app new' 'create /app/done'",
      summary: 'Update a znode only if its version is 0',
    },
  ],
  async run(context, { options, args, tokens }): Promise<Result> {
    const ops: Op[] = [];
    for (const text of args.operations)
      ops.push(await operationOf(context, text, tokens.operations));
    if (!options['dry-run']) {
      await context.session.ready();
      return runTransaction(context, ops);
    }
    return {
      kind: 'rows',
      columns: namedColumns('operation', 'path'),
      rows: ops.map(({ op, path }) => [op, path]),
    };
  },
});

async function operationOf(
  context: CommandContext,
  text: string,
  token: Token | undefined,
): Promise<Op> {
  const { statements, fault } = parseLine(text);
  const [statement, second] = statements;
  if (fault !== undefined)
    throw usageError(`txn: ${fault.message}: "${text}"`, token, { hint: fault.hint });
  if (statement === undefined || second !== undefined) {
    throw usageError(`txn: expected one operation, found "${text}"`, token, {
      hint: "quote each operation: 'create /a x'",
    });
  }
  const call = await findCall(statement.tokens, context.commands);
  const command = call?.command;
  if (call === undefined || command?.subcommands !== undefined || command?.toOp === undefined) {
    throw usageError(`txn: unsupported operation: "${statement.tokens[0]?.text}"`, token, {
      hint: 'expected create, set, delete, or check',
    });
  }
  const parsed = parseArguments(command, call.words, statement, context.session);
  command.check?.(parsed);
  return toOp(command, context, parsed);
}
