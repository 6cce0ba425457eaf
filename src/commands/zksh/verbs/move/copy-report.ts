import { CommandError, ExitCode } from '../../../program/command-error.js';
import { partialError } from '../../../znodes/walk.js';
import type { TreeSink } from './tree-sink.js';
import type { TreeSource } from './tree-source.js';

/** "3 znodes, 120 bytes". */
export function amount(znodes: number, bytes: number): string {
  return `${znodes === 1 ? '1 znode' : `${znodes} znodes`}, ${bytes} bytes`;
}

/** What was left out on purpose, as a clause; "" for nothing. */
export function leftOut({ ephemeralsLeftOut }: { readonly ephemeralsLeftOut: number }): string {
  if (ephemeralsLeftOut === 0) return '';
  return ephemeralsLeftOut === 1
    ? '; 1 ephemeral left out'
    : `; ${ephemeralsLeftOut} ephemerals left out`;
}

/** @throws CommandError PARTIAL when something was not read as it is */
export function checkSource(source: TreeSource): void {
  const { unread, maskedAcls, faults } = source;
  if (unread > 0) throw partialError('not all could be read', faults, unread);
  if (maskedAcls === 0) return;
  throw new CommandError(
    `${maskedAcls} ACLs were not shown whole: this session may not change them, and passwords are hidden`,
    {
      code: 'PARTIAL',
      exitCode: ExitCode.partial,
      hint: 'addauth as one who may, or leave ACLs out with --no-acl',
    },
  );
}

/** @throws CommandError PARTIAL when something was not written */
export function checkSink({
  failures,
  failureCount,
  written,
  kept,
}: Pick<TreeSink, 'failures' | 'failureCount' | 'written' | 'kept'>): void {
  if (failureCount === 0) return;
  throw partialError(
    `${written} written, ${kept} there already, ${failureCount} not written`,
    failures,
    failureCount,
  );
}
