import type { ZooKeeperClient } from '../../../../client/base/client.js';
import { chrootStart } from '../../../../client/base/connect-string.js';
import { baseName, childPath, isWithin } from '../../../../protocol/path.js';
import { usageError } from '../../../program/command-error.js';
import { DumpSource } from '../../../trees/dump-file.js';
import type { DumpFormat } from '../../../trees/dump-format.js';
import { TreeSource, type TreeSourceOptions } from '../../../trees/tree-source.js';
import type { ZnodeRecord } from '../../../trees/znode-record.js';
import type { CommandContext } from '../../engine/command.js';

export interface TreePlace {
  readonly client: ZooKeeperClient;
  readonly path: string;
  /** As typed, without a trailing slash. */
  readonly name: string;
  readonly isHere: boolean;
  close(): Promise<void>;
}

export function isRemote(place: string): boolean {
  return /^(zk|srv)s?:\/\//.test(place);
}

export function isFile(place: string): boolean {
  return place.startsWith('@');
}

/** Splits "zk://h1,h2:2182/a/b" into the connect string and the path. */
function splitRemote(place: string): { readonly target: string; readonly path: string } {
  const plain = place.replace(/^zk:\/\//, '');
  const at = chrootStart(plain);
  const path = plain.slice(at).replace(/(?<!\/)\/+$/, '');
  return { target: plain.slice(0, at), path: path === '' ? '/' : path };
}

/** The caller closes the tree. @throws ConnectError if the other cluster cannot be reached */
export async function openTree(
  context: CommandContext,
  place: string,
  isAuthSent: boolean,
): Promise<TreePlace> {
  if (isFile(place)) throw usageError(`${place}: expected a tree, not a file`);
  if (!isRemote(place)) {
    const { client } = context;
    return { client, path: place, name: place, isHere: true, close: async () => undefined };
  }
  const { target, path } = splitRemote(place);
  const client = await context.session.openSeparate(target, isAuthSent);
  return { client, path, name: place, isHere: false, close: () => client.close() };
}

/** `to/` keeps the name of the source. */
export function destinationPath(to: string, typed: string | undefined, from: string): string {
  if (typed?.endsWith('/') !== true || from === '/') return to;
  return childPath(to, baseName(from));
}

export function refuseInside(from: string, to: string): void {
  if (isWithin(to, from)) throw usageError(`${to}: destination is inside the source: ${from}`);
}

export interface OpenSource {
  /** Undefined for a dump. */
  readonly tree: TreeSource | undefined;
  readonly dump: DumpSource | undefined;
  records(): AsyncGenerator<ZnodeRecord>;
  close(): Promise<void>;
}

/** By default, credentials are not sent to another cluster. */
export const AUTH_OPTION = {
  'send-auth': {
    summary: 'send the credentials of this session to the other cluster',
  },
} as const;

export async function openSource(
  context: CommandContext,
  place: string,
  options: TreeSourceOptions & {
    readonly isAuthSent: boolean;
    /** Undefined detects the format of a dump. */
    readonly format?: DumpFormat | undefined;
  },
): Promise<OpenSource> {
  if (isFile(place)) {
    const dump = await DumpSource.ofFile(place.slice(1), { format: options.format });
    return {
      tree: undefined,
      dump,
      records: () => wanted(dump.records(), options),
      close: async () => undefined,
    };
  }
  const { client, path, close } = await openTree(context, place, options.isAuthSent);
  const tree = new TreeSource(client, path, options);
  return { tree, dump: undefined, records: () => tree.records(), close };
}

async function* wanted(
  records: AsyncGenerator<ZnodeRecord>,
  { hasAcls, hasEphemerals }: TreeSourceOptions,
): AsyncGenerator<ZnodeRecord> {
  for await (const record of records) {
    if (record.mode === 'ephemeral' && !hasEphemerals) continue;
    yield hasAcls ? record : { ...record, acl: undefined };
  }
}
