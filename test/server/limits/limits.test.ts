/**
 * The table of limits: docs/limits.md has the same rows, and exceeded limits are reported by name.
 */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { mntr } from '../../../src/fourlw/mntr.js';
import { OPTIONS } from '../../../src/server/config/config-keys.js';
import { CLIENT_LIMITS } from '../../../src/server/limits/client-limits.js';
import { KIB, type Limit, MIB } from '../../../src/server/limits/limit.js';
import { LIMITS } from '../../../src/server/limits/limits.js';
import { OPERATOR_LIMITS } from '../../../src/server/limits/operator-limits.js';
import { PEER_LIMITS } from '../../../src/server/limits/peer-limits.js';
import { createLogger } from '../../../src/server/node/log/logger.js';
import { readProjectFile, readSources } from '../../support/tidy/source-file.js';
import { ServerWorld } from '../server-world.js';

/** A row up to its prose: the name, `*` unless reported, the value, and the key that sets it. */
function startOfRow(name: string, { value, unit, key, silence }: Limit): string {
  const mark = silence === null ? '' : '*';
  const option = key === null ? '' : `, \`${key}\``;
  return `| \`${name}\`${mark} | ${shown(value, unit)}${option} | `;
}

function shown(value: number, unit: Limit['unit']): string {
  if (value <= 0) return 'no limit';
  if (unit === 'ms')
    return value % 3_600_000 === 0 ? `${value / 3_600_000} h` : `${value / 1000} s`;
  if (unit !== 'bytes') return `${value}`;
  if (value % MIB === 0) return `${value / MIB} MiB`;
  return value % KIB === 0 ? `${value / KIB} KiB` : `${value} bytes`;
}

test('docs/limits.md has a row for each limit', () => {
  const page = readProjectFile('docs/limits.md');
  const rows = page.match(/^\| `.*$/gm) ?? [];
  const starts = [CLIENT_LIMITS, OPERATOR_LIMITS, PEER_LIMITS].flatMap((limits) =>
    Object.entries<Limit>(limits).map(([name, limit]) => startOfRow(name, limit)),
  );
  assert.equal(
    rows.map((row, at) => row.slice(0, starts[at]?.length)),
    starts,
  );
  for (const row of rows) assert.match(row, /^\|(?: [^|]+ \|){3}(?: [^|]+)? \|$/);
});

test('each limit is reported where it is enforced, or has a reason for silence', () => {
  const sources = readSources('src/server').filter(({ path }) => !path.includes('/limits/'));
  const enforcing = [...sources, ...readSources('src/server/limits').filter(isStage)];
  for (const [name, { silence }] of Object.entries(LIMITS) as [string, Limit][]) {
    const isReported = enforcing.some(({ text }) => text.includes(`'${name}'`));
    if (silence === null) assert.ok(isReported, `${name} is in the table and never reported`);
    else assert.not(isReported, `${name} has a reason for a silence that it does not keep`);
  }
});

test('a test exceeds and names each reported limit', () => {
  const texts = readSources('test/server', /\.test\.ts$/).map(({ text }) => text);
  for (const [name, { silence }] of Object.entries(LIMITS) as [string, Limit][]) {
    if (silence !== null) continue;
    const named = new RegExp(`['\`]${name}(?![A-Za-z0-9])`);
    assert.ok(
      texts.some((text) => named.test(text)),
      `no test exceeds ${name} and expects its report`,
    );
  }
});

function isStage({ path }: { readonly path: string }): boolean {
  return !path.endsWith('-limits.ts');
}

test('a limit that an option sets has the default of that option', () => {
  const options = Object.values(OPTIONS);
  for (const [name, { key, value }] of Object.entries(LIMITS) as [string, Limit][]) {
    if (key === null) continue;
    const option = options.find((one) => one.key === key);
    assert.ok(option !== undefined, `${name}: no option ${key}`);
    assert.is(Number(option.default), value, name);
    assert.is(option.status, 'supported', name);
  }
});

test('an exceeded limit is counted by name and reported once a minute', async () => {
  const world = new ServerWorld({ maxClientCnxns: 1 });
  for (let i = 0; i < 4; i++) world.connect();
  const reports = () =>
    world.effects
      .flatMap((effect) => (effect.kind === 'report' ? [effect.report] : []))
      .filter((report) => report.kind === 'limit-exceeded')
      .filter(({ limit }) => limit === 'connectionsPerAddress');
  const first = {
    kind: 'limit-exceeded',
    limit: 'connectionsPerAddress',
    value: 1,
    from: '127.0.0.1',
    times: 1,
  } as const;
  assert.equal(reports(), [first]);
  world.clock(60_000);
  for (let i = 0; i < 2; i++) world.connect();
  assert.equal(reports(), [first, { ...first, times: 3 }]);
  const answer = mntr.render(world.server.view);
  assert.match(answer, 'zk_connectionsPerAddress_limit_exceeded_count\t4\n');
  const lines: string[] = [];
  const logger = await createLogger({ level: 'info', write: (line) => lines.push(line) });
  logger.report(first);
  const { msg, level } = JSON.parse(lines[0] ?? '');
  assert.is(level, 'warn');
  assert.match(msg, 'limit connectionsPerAddress exceeded by 127.0.0.1: over 1 connections');
});

test('an event reports a limit that is enforced outside the core', () => {
  const world = new ServerWorld();
  world.server.step({ kind: 'limit-exceeded', limit: 'unreadBytes', from: '10.0.0.7' });
  const [report] = world.drain();
  assert.ok(report?.kind === 'report' && report.report.kind === 'limit-exceeded');
  assert.is(report.report.limit, 'unreadBytes');
});

test.run();
