import { readTxn, type Txn } from '../../files/txn.js';
import { errorName } from '../../protocol/error-code.js';
import { OpCode, opCodeName } from '../../protocol/op-code.js';
import { formatAcl } from '../../protocol/perms.js';
import { counted } from '../program/counted.js';

export interface DescribedTxn {
  readonly sessionId: bigint;
  readonly cxid: number;
  readonly time: bigint;
  readonly type: string;
  /** Undefined for a multi of several paths. */
  readonly path: string | undefined;
  readonly detail: string;
  /** A multi may write several values. */
  readonly written: readonly { readonly path: string; readonly data: Buffer }[];
}

/** @returns the reason if no release could have written the record */
export function describeTxn(entry: Buffer): DescribedTxn | string {
  try {
    const { head, txn } = readTxn(entry);
    return {
      sessionId: head.sessionId,
      cxid: head.cxid,
      time: head.time,
      type: opCodeName(txn.type),
      path: 'path' in txn ? txn.path : undefined,
      detail: detailOf(txn),
      written: writtenBy(txn),
    };
  } catch (error) {
    // A JuteError means a bad encoding. Commands may not import its class.
    if (error instanceof Error && error.name === 'JuteError') return error.message;
    throw error;
  }
}

function writtenBy(txn: Txn): DescribedTxn['written'] {
  if (txn.type === OpCode.multi) return txn.txns.flatMap(writtenBy);
  // A txn that was read has its data as a string of bytes.
  if (!('data' in txn) || typeof txn.data !== 'string') return [];
  const path = 'path' in txn ? txn.path : '';
  return [{ path, data: Buffer.from(txn.data, 'latin1') }];
}

function detailOf(txn: Txn): string {
  switch (txn.type) {
    case OpCode.createSession:
      return `timeout ${txn.timeoutMs} ms`;
    case OpCode.closeSession:
      return txn.paths === null ? '' : `deletes ${txn.paths.join(' ') || 'nothing'}`;
    case OpCode.error:
      return errorName(txn.err) ?? String(txn.err);
    case OpCode.multi:
      return txn.txns
        .map((sub) => `${opCodeName(sub.type)}${'path' in sub ? ` ${sub.path}` : ''}`)
        .join(', ');
    case OpCode.delete:
    case OpCode.deleteContainer:
      return '';
    case OpCode.setACL:
      return `${formatAcl(txn.acl)} version ${txn.version}`;
    case OpCode.check:
      return `version ${txn.version}`;
    case OpCode.setData:
    case OpCode.reconfig:
      return `${sizeOf(txn.data)} version ${txn.version}`;
    default: {
      const kind = txn.isEphemeral ? ' ephemeral' : txn.ttl > 0n ? ` ttl ${txn.ttl} ms` : '';
      return `${sizeOf(txn.data)}${kind} acl ${formatAcl(txn.acl)}`;
    }
  }
}

function sizeOf(data: { readonly length: number } | null): string {
  return data === null ? 'no data' : counted(data.length, 'byte');
}
