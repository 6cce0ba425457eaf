import type { InputArchive } from '../../jute/input-archive.js';
import { JuteError } from '../../jute/jute-error.js';
import { OpCode } from '../../protocol/op-code.js';
import type { ReadOp, ReadResult } from '../base/client.js';
import { ZooKeeperError } from '../base/errors.js';
import { getData, readStrings } from '../session/operations.js';
import type { Operation } from '../session/request.js';
import { writeMultiHeader } from './multi.js';

const CODES = { getData: OpCode.getData, getChildren: OpCode.getChildren } as const;

export interface MultiReadArgs {
  readonly ops: readonly ReadOp['op'][];
  readonly paths: readonly string[];
  readonly ownPaths: readonly string[];
}

/**
 * ```
 *   request  {type, false, -1} {path, watch}, repeated, then {-1, true, -1}
 *   reply    {type, false, 0} record, or {-1, false, err} int err, for every read
 * ```
 */
export const multiRead: Operation<MultiReadArgs, readonly ReadResult[]> = {
  code: OpCode.multiRead,
  write: (out, { ops, paths }) => {
    for (const [at, op] of ops.entries()) {
      writeMultiHeader(out, CODES[op], false);
      out.writeString(paths[at] ?? '');
      out.writeBool(false);
    }
    writeMultiHeader(out, -1, true);
  },
  read: (input, args) => {
    const results: ReadResult[] = [];
    for (;;) {
      const type = input.readInt();
      const isDone = input.readBool();
      input.readInt();
      if (isDone) break;
      results.push(readResult(input, type, args, results.length));
    }
    const { length } = args.ops;
    if (results.length === length) return results;
    throw new JuteError(`expected ${length} results of a multiRead, found ${results.length}`);
  },
};

function readResult(
  input: InputArchive,
  type: number,
  { ops, ownPaths }: MultiReadArgs,
  at: number,
): ReadResult {
  if (type === OpCode.error) {
    return { op: 'error', error: new ZooKeeperError(input.readInt(), ownPaths[at]) };
  }
  const op = ops[at];
  if (op === undefined || CODES[op] !== type) {
    throw new JuteError(`a multiRead has no result of type ${type} at ${at}`);
  }
  if (op === 'getChildren') return { op, children: readStrings(input) };
  return { op, ...getData.read(input, { path: '', watch: false }) };
}
