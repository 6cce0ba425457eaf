import { CommandError } from '../program/command-error.js';
import { counted } from '../program/counted.js';
import { ExitCode } from '../program/exit-status.js';
import { partialError } from '../znodes/partial-error.js';
import type { TreeSink } from './tree-sink.js';
import type { TreeSource } from './tree-source.js';

/** "3 znodes, 120 bytes". */
export function amount(znodes: number, bytes: number): string {
  return `${counted(znodes, 'znode')}, ${counted(bytes, 'byte')}`;
}

/** "" without skipped ephemerals. */
export function leftOut({ ephemeralsLeftOut }: { readonly ephemeralsLeftOut: number }): string {
  if (ephemeralsLeftOut === 0) return '';
  return ephemeralsLeftOut === 1
    ? '; 1 ephemeral skipped'
    : `; ${ephemeralsLeftOut} ephemerals skipped`;
}

/** @throws CommandError PARTIAL if the source was not read completely */
export function checkSource(source: TreeSource): void {
  const { unread, maskedAcls, faults } = source;
  if (unread > 0) throw partialError('some znodes could not be read', faults, unread);
  if (maskedAcls === 0) return;
  throw new CommandError(
    `the passwords of ${counted(maskedAcls, 'ACL')} are hidden: this session lacks the admin permission`,
    {
      code: 'PARTIAL',
      exitCode: ExitCode.partial,
      hint: 'authenticate with addauth, or omit ACLs with --no-acl',
    },
  );
}

/** @throws CommandError PARTIAL if some znodes were not written */
export function checkSink({
  failures,
  failureCount,
  written,
  kept,
}: Pick<TreeSink, 'failures' | 'failureCount' | 'written' | 'kept'>): void {
  if (failureCount === 0) return;
  throw partialError(
    `${written} written, ${kept} unchanged, ${failureCount} failed`,
    failures,
    failureCount,
  );
}
