/**
 * The audit log: who changed what, and with what result (AuditHelper). The request is noted on
 * arrival, since an error txn has no path; the entry is made when its txn is applied.
 */

import type { Txn } from '../../files/txn.js';
import { InputArchive } from '../../jute/input-archive.js';
import { JuteError } from '../../jute/jute-error.js';
import { createModeOf } from '../../protocol/create-mode.js';
import { OpCode } from '../../protocol/op-code.js';
import { OPERATION_TABLE, readRequest } from '../../protocol/operation-table.js';
import { formatAcl } from '../../protocol/perms.js';
import { safeLine } from '../../protocol/sanitize.js';
import { hex64 } from '../../protocol/zxid.js';
import { isLastOf } from '../prep/keeper-parts.js';
import { readOps } from '../prep/read-ops.js';
import { maskDigests, shownUser } from '../session/auth.js';
import type { Request } from './request.js';

export interface AuditEntry {
  readonly session?: string;
  /** Separated by commas; absent if the server itself acted. */
  readonly user?: string;
  readonly ip?: string;
  readonly operation: string;
  readonly znode?: string;
  readonly znodeType?: string;
  /** With commas, where Apache's text has no separator between entries. */
  readonly acl?: string;
  readonly result: 'success' | 'failure' | 'invoked';
}

export interface AuditDraft {
  readonly operation: string;
  readonly znode?: string;
  readonly znodeType?: string;
  readonly acl?: string;
  /** One draft per operation of a multi; undefined for a check. */
  readonly parts?: readonly (AuditDraft | undefined)[];
}

const EPHEMERAL_DELETION = 'ephemeralZNodeDeletionOnSessionCloseOrExpire';

/** Reads the request without consuming it. */
export function draftAudit(type: number, input: InputArchive): AuditDraft {
  const operation = OPERATION_TABLE.get(type)?.audit ?? String(type);
  const body = new InputArchive(input.bytes, input.at, input.end);
  if (type === OpCode.multi) return { operation, parts: draftParts(body) };
  try {
    return { operation, ...readDraft(type, body) };
  } catch (error) {
    if (error instanceof JuteError) return { operation };
    throw error;
  }
}

function draftParts(body: InputArchive): (AuditDraft | undefined)[] {
  const parts = readOps(body) ?? [];
  return parts.map(({ type, body }) => {
    const isCheck = OPERATION_TABLE.get(type)?.kind === 'part';
    return isCheck ? undefined : draftAudit(type, body);
  });
}

function readDraft(type: number, body: InputArchive): Omit<AuditDraft, 'operation'> {
  const { path, flags, acl } = readRequest(type, body);
  const mode = flags === undefined ? undefined : createModeOf(flags);
  return {
    ...(path === undefined ? {} : { znode: path }),
    ...(mode === undefined ? {} : { znodeType: mode.name.toLowerCase() }),
    ...(type === OpCode.setACL && acl !== undefined ? { acl: formatAcl(maskDigests(acl)) } : {}),
  };
}

export function* auditEntries(request: Request, txn: Txn): Generator<AuditEntry> {
  const session = request.sessionId === 0n ? {} : { session: `0x${hex64(request.sessionId)}` };
  if (txn.type === OpCode.closeSession) {
    for (const znode of txn.paths ?? []) {
      yield { ...session, operation: EPHEMERAL_DELETION, znode, result: 'success' };
    }
    return;
  }
  if (txn.type === OpCode.deleteContainer) {
    yield { operation: 'delete', znode: txn.path, result: 'success' };
    return;
  }
  const { audit, connection, ids } = request;
  if (audit === null || connection === null) return;
  const user = ids.map(shownUser).reverse().join(',');
  const who = { ...session, user, ip: connection.remoteIp };
  const isFailed = txn.type === OpCode.error;
  if (isFailed || txn.type !== OpCode.multi) {
    yield entryOf(who, audit, isFailed ? undefined : txn);
    return;
  }
  if (txn.txns.some(({ type }) => type === OpCode.error)) {
    yield { ...who, operation: audit.operation, result: 'failure' };
    return;
  }
  let done = 0;
  for (const part of txn.txns) {
    const draft = (audit.parts ?? [audit])[done];
    if (draft !== undefined && part.type !== OpCode.check) yield entryOf(who, draft, part);
    if (isLastOf(request.parts?.[done], part)) done++;
  }
}

/** @param txn undefined when the request failed */
function entryOf(
  who: Pick<AuditEntry, 'session' | 'user' | 'ip'>,
  { operation, znode, znodeType, acl }: AuditDraft,
  txn: Txn | undefined,
): AuditEntry {
  // A sequential znode gets its path only when it is created.
  const path = txn !== undefined && 'path' in txn ? txn.path : znode;
  return {
    ...who,
    operation,
    ...(path === undefined ? {} : { znode: path }),
    ...(znodeType === undefined ? {} : { znodeType }),
    ...(acl === undefined ? {} : { acl }),
    result: txn === undefined ? 'failure' : 'success',
  };
}

/**
 * Apache's form: `key=value` with tabs between. Control characters are escaped, because a user name
 * may contain text that looks like another field.
 * @param serverUser the user named when the server itself acted
 */
export function formatAuditEntry(entry: AuditEntry, serverUser: string): string {
  const fields = [
    ['session', entry.session],
    ['user', entry.user ?? serverUser],
    ['ip', entry.ip],
    ['operation', entry.operation],
    ['znode', entry.znode],
    ['znode_type', entry.znodeType],
    ['acl', entry.acl],
    ['result', entry.result],
  ] as const;
  return fields
    .flatMap(([key, value]) => (value === undefined ? [] : [`${key}=${safeLine(value)}`]))
    .join('\t');
}
