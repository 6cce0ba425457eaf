import type { Op, ZooKeeperClient } from '../../../../client/base/client.js';
import { UnsupportedError, ZooKeeperError } from '../../../../client/base/errors.js';
import { ErrorCode } from '../../../../protocol/error-code.js';
import { isWithin } from '../../../../protocol/path.js';
import { CommandError, usageError } from '../../../program/command-error.js';
import { counted } from '../../../program/counted.js';
import { ExitCode } from '../../../program/exit-status.js';
import type { Result } from '../../../results/result.js';
import { amount, checkSink, checkSource } from '../../../trees/copy-report.js';
import { existingRoot } from '../../../trees/existing-root.js';
import { TreeSink } from '../../../trees/tree-sink.js';
import { TreeSource } from '../../../trees/tree-source.js';
import { isOpenAcl, type ZnodeRecord } from '../../../trees/znode-record.js';
import { type CommandContext, defineCommand } from '../../engine/command.js';
import { destinationPath, refuseInside } from './place.js';

/** Below the default jute.maxbuffer of 1 MB. */
const ATOMIC_BYTES = 700_000;
const ATOMIC_ZNODES = 2000;
const REQUEST_OVERHEAD = 64;

export const mv = defineCommand({
  name: 'mv',
  group: 'move',
  summary: 'Move a subtree to another path',
  description:
    'The move is atomic for up to 2000 znodes and 700000 bytes, including paths. A larger subtree is copied first and then deleted. Znodes that changed meanwhile are kept and reported. Ephemerals cannot be moved, because they belong to their session. Versions and times start over.',
  options: {
    'dry-run': { letter: 'n', summary: 'list the znodes without moving them' },
  },
  args: {
    from: { kind: 'path', summary: 'the subtree' },
    to: { kind: 'path', summary: 'the new path; if it ends in /, the name is kept' },
  },
  isMutating: true,
  examples: [{ line: 'mv /app/old /app/new', summary: 'Rename a subtree' }],
  check({ args, tokens }) {
    if (args.from === '/' || isWithin(args.from, '/zookeeper')) {
      throw usageError(`${args.from}: cannot be moved`, tokens.from);
    }
  },
  async run(context, { options, args, tokens }): Promise<Result> {
    const { client, signal } = context;
    const to = destinationPath(args.to, tokens.to?.text, args.from);
    refuseInside(args.from, to);
    const source = new TreeSource(client, args.from, {
      signal,
      hasAcls: true,
      hasEphemerals: true,
    });
    const { few, isWhole } = await readFew(source);
    checkSource(source);
    if (options['dry-run']) return listOnly(context, source, to);
    await existingRoot(client, to);
    const bytes = few.reduce((sum, { data }) => sum + (data?.length ?? 0), 0);
    if (isWhole && (await moveAtOnce(client, few, args.from, to))) {
      return moved(args.from, to, few.length, bytes, true);
    }
    return moveByParts(context, source, to);
  },
});

/** All records if they fit into one request. @throws CommandError for an ephemeral */
async function readFew(
  source: TreeSource,
): Promise<{ few: readonly ZnodeRecord[]; isWhole: boolean }> {
  const few: ZnodeRecord[] = [];
  let bytes = 0;
  for await (const record of source.records()) {
    refuseEphemeral(record, source.root);
    few.push(record);
    bytes += requestLength(record, source.root);
    if (bytes > ATOMIC_BYTES || few.length > ATOMIC_ZNODES) return { few: [], isWhole: false };
  }
  return { few, isWhole: true };
}

/** Approximate: both paths, the data, and the ACL. */
function requestLength({ path, data, acl }: ZnodeRecord, root: string): number {
  const paths = 2 * (Buffer.byteLength(root) + Buffer.byteLength(path) + REQUEST_OVERHEAD);
  const ids = (acl ?? []).reduce((sum, { id }) => sum + id.scheme.length + id.id.length + 12, 0);
  return paths + (data?.length ?? 0) + ids;
}

function refuseEphemeral({ mode, path }: ZnodeRecord, root: string): void {
  if (mode !== 'ephemeral') return;
  throw new CommandError(`${root}${path}: ephemeral znodes cannot be moved`, {
    code: 'EPHEMERAL',
    path: `${root}${path}`,
    hint: 'use cp -R to copy the other znodes',
  });
}

/** False if ACLs or the client do not allow one transaction. */
async function moveAtOnce(
  client: ZooKeeperClient,
  records: readonly ZnodeRecord[],
  from: string,
  to: string,
): Promise<boolean> {
  const creates: Op[] = records.map(({ path, data, acl }) => ({
    op: 'create',
    path: `${to}${path}`,
    data,
    options: acl === undefined || isOpenAcl(acl) ? {} : { acl },
  }));
  const deletes: Op[] = records.map(({ path, version }) => ({
    op: 'delete',
    path: `${from}${path}`,
    version,
  }));
  try {
    await client.multi([...creates, ...deletes.reverse()]);
    return true;
  } catch (error) {
    if (error instanceof UnsupportedError) return false;
    if (error instanceof ZooKeeperError && error.code === 'NOAUTH') return false;
    throw error;
  }
}

async function moveByParts(
  context: CommandContext,
  source: TreeSource,
  to: string,
): Promise<Result> {
  const { client, signal } = context;
  const sink = new TreeSink(client, to, {
    signal,
    onExisting: 'refuse',
    hasAcls: true,
    progress: (count) => context.progress?.({ done: 'copied', count }),
  });
  const copied: { readonly path: string; readonly version: number }[] = [];
  async function* noted() {
    for await (const record of source.records()) {
      refuseEphemeral(record, source.root);
      copied.push({ path: `${source.root}${record.path}`, version: record.version });
      yield record;
    }
  }
  try {
    await sink.writeAll(noted());
  } finally {
    context.progress?.(undefined);
  }
  checkSink(sink);
  checkSource(source);
  if (!signal.aborted) await deleteCopied(client, copied);
  return moved(source.root, to, sink.written, sink.bytes, false);
}

const DELETES_IN_FLIGHT = 256;

/** Deletes children first, and only znodes that have not changed since they were copied. */
async function deleteCopied(
  client: ZooKeeperClient,
  copied: { readonly path: string; readonly version: number }[],
): Promise<void> {
  const stayed: string[] = [];
  copied.reverse();
  for (let at = 0; at < copied.length; at += DELETES_IN_FLIGHT) {
    const slice = copied.slice(at, at + DELETES_IN_FLIGHT);
    await Promise.all(
      slice.map(async ({ path, version }) => {
        try {
          await client.delete(path, version);
        } catch (error) {
          if (!(error instanceof ZooKeeperError)) throw error;
          if (error.number === ErrorCode.NONODE) return;
          if (error.number === ErrorCode.CONNECTIONLOSS) throw error;
          stayed.push(path);
        }
      }),
    );
  }
  if (stayed.length === 0) return;
  throw new CommandError(
    `mv: copied all znodes, but kept ${stayed.length} that changed meanwhile: ${stayed.slice(0, 3).join(', ')}`,
    { code: 'PARTIAL', exitCode: ExitCode.partial },
  );
}

function moved(from: string, to: string, znodes: number, bytes: number, isAtomic: boolean): Result {
  return {
    kind: 'message',
    text: `Moved ${amount(znodes, bytes)} to ${to}`,
    fields: { moved: from, to, znodes, bytes, isAtomic },
  };
}

async function listOnly(context: CommandContext, source: TreeSource, to: string): Promise<Result> {
  let znodes = 0;
  for await (const { path } of source.records()) {
    znodes++;
    await context.emit({ kind: 'path', path: `${to}${path}` });
  }
  return {
    kind: 'message',
    text: `${counted(znodes, 'znode')} would be moved`,
    fields: { path: to, znodes, isDryRun: true },
  };
}
