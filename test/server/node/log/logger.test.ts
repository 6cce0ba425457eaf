import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ZooKeeper } from '../../../../src/client/zookeeper.js';
import { configFromOptions } from '../../../../src/server/config/config.js';
import {
  createLogger,
  logLevelOf,
  type ServerReport,
} from '../../../../src/server/node/log/logger.js';
import { startBundled } from '../../../support/bundled.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';

type Line = Readonly<Record<string, unknown>>;

async function logged(
  reports: readonly ServerReport[],
  level: 'debug' | 'info' | 'warn' = 'debug',
): Promise<Line[]> {
  const lines: Line[] = [];
  const logger = await createLogger({ level, write: (line) => lines.push(JSON.parse(line)) });
  for (const report of reports) logger.report(report);
  logger.close();
  return lines;
}

const OPENED: ServerReport = {
  kind: 'session-opened',
  sessionId: -1n,
  remoteIp: '10.0.0.1',
  remotePort: 4711,
  timeoutMs: 30000,
};
const SLOW: ServerReport = {
  kind: 'slow-request',
  sessionId: 1n,
  operation: 'SETD',
  path: '/a',
  ms: 1200,
};

test('a line is JSON with level, time, event, fields, and a sentence', async () => {
  const [line] = await logged([SLOW]);
  const { time, ...rest } = line ?? {};
  assert.match(String(time), /^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  assert.equal(rest, {
    level: 'warn',
    event: 'slow-request',
    session: '0x1',
    operation: 'SETD',
    path: '/a',
    ms: 1200,
    msg: 'a request took 1200 ms',
  });
});

test("an exceeded limit of /zookeeper/quota is logged with Apache's text", async () => {
  const excess = { owner: '/app', used: 6, limit: 5, isHard: false, isRefused: false };
  const lines = await logged([
    { kind: 'quota-exceeded', what: 'count', ...excess },
    { kind: 'quota-exceeded', what: 'bytes', ...excess, isHard: true },
  ]);
  assert.equal(
    lines.map(({ level, msg }) => `${level}: ${msg}`),
    [
      'warn: Quota exceeded: /app [current count=6, softCountLimit=5]',
      'warn: Quota exceeded: /app [current bytes=6, hardByteLimit=5]',
    ],
  );
});

test('role changes of a member of an ensemble are logged', async () => {
  const [line] = await logged([{ kind: 'quorum', message: 'server 3 leads' }], 'info');
  assert.equal(
    [line?.['level'], line?.['event'], line?.['msg']],
    ['info', 'quorum', 'server 3 leads'],
  );
});

test('sessions are logged only at debug, with all 64 bits', async () => {
  assert.equal(await logged([OPENED, { kind: 'session-closed', sessionId: 1n }], 'info'), []);
  const [line] = await logged([OPENED]);
  assert.is(line?.['session'], '0xffffffffffffffff');
});

test('a flood of slow requests is limited, but other lines are not', async () => {
  const lines = await logged([
    ...Array.from({ length: 5000 }, () => SLOW),
    { kind: 'warning', message: 'still here' },
  ]);
  assert.ok(lines.length < 200, `${lines.length} lines`);
  assert.is(lines.at(-1)?.['msg'], 'still here');
});

test('the configuration sets the level, or else the environment', () => {
  const levelOf = (options: Record<string, string>, environment?: string) => {
    const result = configFromOptions(options);
    if ('errors' in result) throw new Error('not valid');
    return logLevelOf(result.config, environment);
  };
  assert.is(levelOf({}), 'info');
  assert.is(levelOf({}, 'debug'), 'debug');
  assert.is(levelOf({}, 'loud'), 'info');
  assert.is(levelOf({ 'log.level': 'error' }, 'debug'), 'error');
});

test('audit entries go to their own file, one line each', async () => {
  const home = makeTempDir('logger');
  const auditFile = join(home.path, 'audit.log');
  const lines: string[] = [];
  const logger = await createLogger({
    level: 'info',
    auditFile,
    write: (line) => lines.push(line),
  });
  try {
    for (const result of ['success', 'failure'] as const) {
      logger.report({
        kind: 'audit',
        entry: { user: 'bob\nresult=success', ip: '::1', operation: 'delete', znode: '/a', result },
      });
    }
    const [first, second, rest] = readFileSync(auditFile, 'utf8').split('\n');
    assert.match(
      first ?? '',
      /^\S+Z INFO user=bob\\u\{a\}result=success\tip=::1\toperation=delete/,
    );
    assert.match(second ?? '', /^\S+Z ERROR .*\tznode=\/a\tresult=failure$/);
    assert.is(rest, '');
    assert.equal(lines, []);
  } finally {
    logger.close();
    home.remove();
  }
});

test('a server logs recovery, sessions, snapshots, and the end of its clients', async () => {
  const home = makeTempDir('logger');
  const reports: ServerReport[] = [];
  const options = { dataDir: home.path, onReport: (report: ServerReport) => reports.push(report) };
  try {
    const first = await startBundled({ ...options, config: { snapCount: '2' } });
    const client = new ZooKeeper({ connectString: first.connectString });
    await client.connect();
    for (let i = 0; i < 10; i++) await client.create(`/n${i}`);
    await client.close();
    await first.close();
    const kinds = reports.map(({ kind }) => kind);
    assert.equal(kinds.slice(0, 2), ['recovered', 'serving']);
    for (const kind of ['session-opened', 'session-closed', 'snapshot-written'] as const) {
      assert.ok(kinds.includes(kind), kind);
    }
    reports.length = 0;
    await (await startBundled(options)).close();
    const [recovered] = reports;
    assert.is(recovered?.kind, 'recovered');
    if (recovered?.kind === 'recovered') assert.is(recovered.lastZxid, 12n);
  } finally {
    home.remove();
  }
});

test('refused clients are logged', async () => {
  const reports: ServerReport[] = [];
  const server = await startBundled({
    config: { maxCnxns: '1' },
    onReport: (report) => reports.push(report),
  });
  const first = new ZooKeeper({ connectString: server.connectString });
  const second = new ZooKeeper({ connectString: server.connectString, connectRounds: 1 });
  try {
    await first.connect();
    await second.connect().catch(() => undefined);
    const refused = reports.find(({ kind }) => kind === 'refused');
    assert.ok(refused?.kind === 'refused');
    assert.match(refused.kind === 'refused' ? refused.reason : '', 'maxCnxns');
  } finally {
    await second.close().catch(() => undefined);
    await first.close();
    await server.close();
  }
});

test('characters that hide or reverse text are escaped in the log, and JSON decodes them', async () => {
  const lines: string[] = [];
  const logger = await createLogger({ level: 'info', write: (line) => lines.push(line) });
  const message = 'a\u009b2J\u202eb\u2028c';
  logger.report({ kind: 'warning', message });
  logger.close();
  assert.is(lines.length, 1);
  assert.match(lines[0] ?? '', /^[\x20-\x7e]+\n$/);
  assert.ok(
    JSON.stringify(JSON.parse(lines[0] ?? '{}')).includes(JSON.stringify(message).slice(1, -1)),
  );
});

test.run();
