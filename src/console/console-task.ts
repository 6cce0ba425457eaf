import { once } from 'node:events';
import { appendFileSync } from 'node:fs';
import { text as readAll } from 'node:stream/consumers';
import { readAuthFile, readSaslFile } from '../commands/connecting/auth-sources.js';
import { concludeFrom } from '../commands/ensemble/verdict/blame.js';
import { readLimits } from '../commands/ensemble/verdict/limits-file.js';
import { CommandError, usageError } from '../commands/program/command-error.js';
import { packageVersion } from '../commands/program/package-version.js';
import type { Report, Row } from '../commands/results/result.js';
import type { Task, TaskCall } from '../commands/zkops/calls/task.js';
import { ChangeLog } from './change-log.js';
import {
  allowsWrites,
  CONSOLE_OPTIONS,
  checkExposure,
  DEFAULT_INTERVAL_MS,
  listenAddress,
  readPaths,
  readProxy,
  readTls,
} from './console-options.js';
import { EnsemblePoller } from './ensemble-poller.js';
import { Gate } from './gate.js';
import { serve } from './http-server.js';
import { newUserLine, readLogins, readOwnCredentials } from './logins.js';
import { openApi } from './openapi.js';
import { readPageFiles, readRunbook } from './page-files.js';
import { ProtectedPaths } from './protected-paths.js';
import { ROUTES } from './routes/routes.js';
import type { Services } from './services.js';
import { type Credentials, connectStringOf, memberText } from './session.js';
import { usable } from './usable.js';
import { Workspaces } from './workspaces.js';

async function readAccess(call: TaskCall) {
  const { host, port } = listenAddress(call);
  const tls = readTls(call);
  const logins = readLogins({
    users: call.text('users'),
    token: call.text('token-file'),
    hasCertificates: tls?.ca !== undefined,
    proxy: readProxy(call),
  });
  const [authFile, saslFile] = [call.text('auth-file'), call.text('sasl-file')];
  const ownFile = call.text('zk-logins');
  checkExposure({
    host,
    hasLogin: logins.isRequired,
    hasTls: tls !== undefined,
    isPlainAllowed: call.has('plain'),
    hasCredentials: [authFile, saslFile, ownFile].some((file) => file !== undefined),
  });
  const shared = {
    auth: authFile === undefined ? undefined : await orUsage(readAuthFile(authFile)),
    sasl: saslFile === undefined ? undefined : await orUsage(readSaslFile(saslFile)),
  };
  const names = call.text('host-names')?.toLowerCase().split(',') ?? [];
  const hostNames = new Set(['localhost', host, ...names]);
  const own = ownFile === undefined ? new Map<string, Credentials>() : readOwnCredentials(ownFile);
  return {
    host,
    port,
    tls,
    credentials: { shared, own },
    gate: new Gate({ logins, hostNames }),
    schemes: logins.schemes,
  };
}

function makePoller(call: TaskCall): EnsemblePoller {
  const limits = call.text('limits');
  return new EnsemblePoller(call, {
    intervalMs: call.number('interval') ?? DEFAULT_INTERVAL_MS,
    timeoutMs: call.number('timeout') ?? 2000,
    deadlineMs: call.number('deadline') ?? 10_000,
    limits: readLimits(limits === undefined ? {} : { limits }),
    file: call.text('trend-file'),
  });
}

async function start(call: TaskCall) {
  const { credentials, schemes, ...access } = await readAccess(call);
  const { members, tls, now } = call;
  const poller = makePoller(call);
  const recorded = readPaths(call, 'record');
  const workspaces = new Workspaces({ members, tls, now, ...credentials, recorded });
  const protectedPaths = new ProtectedPaths(readPaths(call, 'protect'));
  const changes = new ChangeLog(now);
  const version = packageVersion();
  const runbook = readRunbook();
  const about = {
    name: 'zkops console',
    version,
    allowWrites: allowsWrites(call),
    servers: connectStringOf(members),
    members: members.map(memberText).join(),
    tlsOptions: tlsOptionsOf(call),
    protected: protectedPaths.paths,
    recorded,
    intervalMs: poller.options.intervalMs,
  };
  const servicesOf = (user: string | null): Services => {
    const { session, ...workspace } = workspaces.of(user);
    return {
      ...workspace,
      about: { ...about, user },
      poller,
      client: () => session.client(),
      change: async (title, work) => changes.record(user, title, await session.client(), work),
      changes,
      protectedPaths,
      runbook,
      allowsSnapshots: call.has('allow-snapshots'),
      openApi: () => openApi(ROUTES, version, schemes),
    };
  };
  const endpoint = await serve({
    ...access,
    routes: ROUTES,
    servicesOf,
    allowsWrites: about.allowWrites,
    audit: auditTo(call.text('audit-log')),
    pageFiles: readPageFiles(),
  });
  poller.start();
  poller.listen(() => workspaces.maintain());
  const close = async (): Promise<void> => {
    await endpoint.close();
    await Promise.all([poller.close(), workspaces.close()]);
  };
  return { url: endpoint.url, close };
}

/** The options of the console that the commands on the page need, too. */
function tlsOptionsOf(call: TaskCall): readonly string[] {
  const texts = ['cacert', 'cert', 'key', 'servername'].flatMap((name) => {
    const text = call.text(name);
    return text === undefined ? [] : [`--${name}`, text];
  });
  return [...texts, ...(call.has('insecure') ? ['--insecure'] : [])];
}

/** @throws CommandError for a file that cannot be written */
function auditTo(file: string | undefined): (entry: Readonly<Record<string, unknown>>) => void {
  if (file !== undefined) {
    usable(`--audit-log ${file}: cannot write`, () => appendFileSync(file, '', { mode: 0o600 }));
  }
  return (entry) => {
    const line = `${JSON.stringify(entry)}\n`;
    if (file === undefined) process.stderr.write(line);
    else appendFileSync(file, line, { mode: 0o600 });
  };
}

async function orUsage<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    throw usageError(error.message, undefined, { hint: error.hint, cause: error });
  }
}

async function printUser(name: string): Promise<Report> {
  const [password = ''] = (await readAll(process.stdin)).split(/\r?\n/);
  const document = `${await newUserLine(name, password)}\n`;
  const finish = () => ({ verdict: concludeFrom([], '') });
  return { columns: [], rows: [], document, finish };
}

async function runConsole(call: TaskCall): Promise<Report> {
  const user = call.text('new-user');
  if (user !== undefined) return printUser(user);
  if (call.text('out') !== undefined)
    throw usageError('--out: not available: the console prints no result');
  const console = await start(call);
  async function* rows(): AsyncGenerator<Row[], void, undefined> {
    try {
      yield [[console.url, call.members.length, allowsWrites(call) ? 'yes' : 'no']];
      if (!call.signal.aborted) await once(call.signal, 'abort');
    } finally {
      await console.close();
    }
  }
  return {
    columns: [
      { title: 'LISTENING AT', key: 'url' },
      { title: 'MEMBERS', key: 'members' },
      { title: 'WRITES', key: 'writes' },
    ],
    rows: rows(),
    isEndless: true,
    isPlain: true,
    isService: true,
    finish: () => ({ verdict: concludeFrom([], 'stopped') }),
  };
}

export const consoleTask: Task = {
  name: 'console',
  options: CONSOLE_OPTIONS,
  hasMembers: true,
  changesEnsemble: allowsWrites,
  isListing: true,
  run: runConsole,
};
