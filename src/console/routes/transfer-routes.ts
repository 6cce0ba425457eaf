/** Subtrees by the engines of `zksh dump` and `restore`, snapshots by that of `zkops snapshot`. */

import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { adminUrlOf, nameOf } from '../../commands/ensemble/member-address.js';
import { CommandError } from '../../commands/program/command-error.js';
import { ExitCode } from '../../commands/program/exit-status.js';
import { checkSink } from '../../commands/trees/copy-report.js';
import { DumpSource } from '../../commands/trees/dump-file.js';
import { dumpParts } from '../../commands/trees/dump-parts.js';
import { existingRoot } from '../../commands/trees/existing-root.js';
import { TreeSink } from '../../commands/trees/tree-sink.js';
import { TreeSource } from '../../commands/trees/tree-source.js';
import type { ZnodeRecord } from '../../commands/trees/znode-record.js';
import { requestSnapshot } from '../../commands/zkops/calls/admin-transfer.js';
import { baseName } from '../../protocol/path.js';
import { flag, oneOf, text } from '../api/schema.js';
import { Imported } from '../api/shapes.js';
import { AtOnce } from '../at-once.js';
import { HttpProblem, unknownAdmin } from '../problem.js';
import { MAX_VALUE_LENGTH, type Route, route } from '../route.js';
import type { Services } from '../services.js';
import { countSubtree, MAX_COUNT } from '../subtrees.js';

const MAX_DUMP_LENGTH = 32 * 1024 * 1024;
/** The longest znode in a dump: the longest value, each byte as an escape of four characters. */
const MAX_ZNODE_LENGTH = 4 * MAX_VALUE_LENGTH;
const MAX_SAMPLE = 20;
const BYTES = 'application/octet-stream';
const FORMATS = ['ndjson', 'json', 'yaml'] as const;

/** Each holds up to 32 MiB, or a snapshot in the making. */
const TRANSFERS = new AtOnce(4, 'transfers run');

function tooLarge(detail: string, path: string, verb: string): HttpProblem {
  return new HttpProblem(413, 'TOOLARGE', `${path}: ${detail}`, {
    exitCode: ExitCode.usage,
    path,
    hint: `use zksh: ${verb}`,
  });
}

/** A reader that takes nothing must not keep the place of another. */
const STALLED_MS = 60_000;

function closeStalled(response: ServerResponse): void {
  response.setTimeout(STALLED_MS, () => response.destroy());
}

/** Aborts when the reader of a response leaves. */
function signalOf(response: ServerResponse): AbortSignal {
  const stop = new AbortController();
  response.once('close', () => stop.abort());
  return stop.signal;
}

const exportDump = route({
  method: 'GET',
  atOnce: TRANSFERS,
  path: '/export',
  summary: 'Download a subtree, up to 10,000 znodes, as zksh dump writes it; without ephemerals',
  required: { path: text('the root of the subtree') },
  optional: { format: oneOf(FORMATS) },
  answer: undefined,
  produces: BYTES,
  problems: [404, 413],
  run: async ({ client: open, about }, { path, format = 'ndjson' }, { response }) => {
    const client = await open();
    const { isWhole, bytes } = await countSubtree(client, path);
    if (!isWhole || bytes > MAX_DUMP_LENGTH) {
      throw tooLarge('the subtree is too large for the console', path, `dump ${path}`);
    }
    const signal = signalOf(response);
    const source = new TreeSource(client, path, { signal, hasAcls: true, hasEphemerals: false });
    const name = (baseName(path) || 'root').replace(/[^\w.-]/g, '_');
    response.writeHead(200, {
      'content-type': BYTES,
      'content-disposition': `attachment; filename="${name}.${format}"`,
    });
    closeStalled(response);
    const parts = dumpParts(source, { format, server: about.servers, hasAcls: true });
    await pipeline(async function* lines() {
      for await (const { text: part } of parts) yield `${part}\n`;
    }, response);
    return undefined;
  },
});

/** The records to restore: an ephemeral of another session cannot be. */
async function* restorable(source: DumpSource): AsyncGenerator<ZnodeRecord> {
  for await (const record of source.records()) if (record.mode !== 'ephemeral') yield record;
}

/** @throws HttpProblem, CommandError */
async function preview(
  { client: open, protectedPaths }: Services,
  source: DumpSource,
  root: string,
): Promise<Imported> {
  const client = await open();
  let [znodes, bytes, existing] = [0, 0, 0];
  const sample: string[] = [];
  for await (const { path, data } of restorable(source)) {
    if (znodes === MAX_COUNT)
      throw tooLarge('the dump is too large for the console', root, 'restore');
    const place = root === '/' ? path || '/' : `${root}${path}`;
    protectedPaths.check(place);
    znodes++;
    bytes += data?.length ?? 0;
    if ((await client.exists(place)) !== null) existing++;
    if (sample.length < MAX_SAMPLE) sample.push(place);
  }
  if (source.end === undefined) {
    throw new CommandError('the dump is incomplete', {
      code: 'BADDUMP',
      exitCode: ExitCode.usage,
      hint: 'complete it with zksh: dump --resume',
    });
  }
  return { path: root, znodes, bytes, existing, sample, isDryRun: true };
}

const importDump = route({
  method: 'POST',
  atOnce: TRANSFERS,
  path: '/import',
  summary: 'Restore the znodes of a dump, as zksh restore does; with dryRun, only count them',
  optional: {
    path: text('the destination; default: the path that was dumped'),
    existing: oneOf(
      ['refuse', 'overwrite', 'resume'],
      'for znodes that exist already; resume keeps those with equal data',
    ),
    dryRun: flag(),
  },
  takes: ['bytes'],
  maxBodyLength: MAX_DUMP_LENGTH,
  answer: Imported,
  problems: [404, 409, 413],
  run: async (services, given, { body, response, note }) => {
    const source = await DumpSource.ofBytes(body, { maxPieceLength: MAX_ZNODE_LENGTH }, 'dump');
    const root = given.path ?? (await source.readHead()).root;
    note({ path: root });
    const counted = await preview(services, source, root);
    if (given.dryRun === true) return { value: counted };
    const onExisting = given.existing ?? 'refuse';
    const { written, bytes, kept } = await services.change(`import ${root}`, async (client) => {
      if (onExisting === 'refuse') await existingRoot(client, root);
      const sink = new TreeSink(client, root, {
        signal: signalOf(response),
        onExisting,
        hasAcls: true,
      });
      await sink.writeAll(restorable(source));
      checkSink(sink);
      return sink;
    });
    const value = { ...counted, znodes: written, bytes, existing: kept, isDryRun: false };
    return { value };
  },
});

/** A POST, because it makes the member write a snapshot: a link of another page must not. */
const snapshot = route({
  method: 'POST',
  isChange: false,
  atOnce: TRANSFERS,
  path: '/members/{server}/snapshot',
  summary: 'Download a new snapshot of a member over its AdminServer, as zkops snapshot save does',
  required: { server: text('host:port, as /members lists it') },
  answer: undefined,
  produces: BYTES,
  problems: [404, 502],
  run: async ({ poller, credentials, allowsSnapshots }, { server }, { response }) => {
    // The AdminServer knows only the console, not the permissions of this login.
    if (!allowsSnapshots) {
      throw new HttpProblem(403, 'NOSNAPSHOTS', 'the console gives no snapshots', {
        exitCode: ExitCode.noAuth,
        hint: 'start it with --allow-snapshots',
      });
    }
    const member = poller.members.find((each) => nameOf(each) === server);
    const admin = member && adminUrlOf(member);
    if (admin === undefined) throw unknownAdmin(server);
    const { auth } = credentials;
    const answer = await requestSnapshot({ admin, auth, signal: signalOf(response) });
    const zxid = String(answer.headers['last_zxid'] ?? '').replace(/\W/g, '');
    response.writeHead(200, {
      'content-type': BYTES,
      'content-disposition': `attachment; filename="snapshot.${zxid.replace(/^0x/, '')}"`,
      ...(zxid === '' ? {} : { 'last-zxid': zxid }),
    });
    closeStalled(response);
    await pipeline(answer, response);
    return undefined;
  },
});

export const TRANSFER_ROUTES: readonly Route[] = [exportDump, importDump, snapshot];
