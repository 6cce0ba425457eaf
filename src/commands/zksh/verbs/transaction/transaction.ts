import type { Op, OpResult } from '../../../../client/base/client.js';
import { MultiError } from '../../../../client/base/errors.js';
import { ErrorCode, errorName } from '../../../../protocol/error-code.js';
import { CommandError } from '../../../program/command-error.js';
import { ExitCode } from '../../../program/exit-status.js';
import { namedColumns, type Result } from '../../../results/result.js';
import type { CommandContext } from '../../engine/command.js';

export async function runTransaction(context: CommandContext, ops: readonly Op[]): Promise<Result> {
  try {
    const results = await context.client.multi(ops);
    return rowsOf(ops, (op, at) => outcomeOf(op, results[at]));
  } catch (error) {
    if (error instanceof MultiError) {
      await context.emit(rowsOf(ops, (_, at) => failureOf(error.results[at], at < error.index)));
    }
    throw error;
  }
}

function rowsOf(ops: readonly Op[], outcomeOf: (op: Op, at: number) => string): Result {
  return {
    kind: 'rows',
    columns: [{ key: 'number', title: '#' }, ...namedColumns('operation', 'path', 'outcome')],
    rows: ops.map((op, at) => [at + 1, op.op, op.path, outcomeOf(op, at)]),
  };
}

function outcomeOf(op: Op, result: OpResult | undefined): string {
  switch (result?.op) {
    case 'create':
      return result.path === op.path ? 'created' : `created ${result.path}`;
    case 'set':
      return `version ${result.stat.version}`;
    case 'delete':
      return 'deleted';
    default:
      return 'ok';
  }
}

function failureOf(code: number | undefined, isBefore: boolean): string {
  if (isBefore || code === ErrorCode.OK) return 'undone';
  if (code === ErrorCode.RUNTIMEINCONSISTENCY) return 'not tried';
  return errorName(code ?? ErrorCode.SYSTEMERROR) ?? `error ${code}`;
}

export function noTransaction(): CommandError {
  return new CommandError('no open transaction', {
    code: 'TRANSACTION',
    exitCode: ExitCode.usage,
    hint: 'run begin to start one',
  });
}
