/** The commands of docs/security.md and docs/sizing.md show what these pages say. */
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type BundledProcess, spawnBundled } from '../support/bundled.js';
import { programPath } from '../support/machine/program-path.js';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { blocksOf } from '../support/pages/page-examples.js';
import { readProjectFile } from '../support/tidy/source-file.js';

type Place = 'checked' | 'open';
/** Judges latencies, too, which depend on the load of this machine. */
const JUDGED = [0, 1, 2];
/** The server that the command asks, its possible exit statuses, and a part of its output. */
type Expected = readonly [place: Place, statuses: readonly number[], output: RegExp];

/** Commands that loopback cannot play, with the reason. */
const ELSEWHERE: Readonly<Record<string, string>> = {
  'nc -z zk1 2888': 'fails only from another machine',
  'nc -z zk1 8080': 'fails only from another machine',
  'nc -z zk1 7000': 'fails only from another machine',
  'nc -z zk1 2181': 'fails only from another network',
  "zksh zks://zk1:2281 -c 'ls /'": 'needs certificates; tls.long.test.ts plays docs/tls.md',
  'systemd-analyze security zkserver': 'needs systemd; systemd.test.ts checks the unit',
  'ls -l': 'shows the modes to a person',
};

const SECURITY: Readonly<Record<string, Expected>> = {
  'zkops check': ['checked', JUDGED, /serving +standalone/],
  "zksh zk1 -c 'ls /'": ['checked', [1], /failed to authenticate/],
  "zksh zk1 -c 'acl show /'": ['open', [0], /anyone/],
  'grep -i skipACL zoo.cfg': ['checked', [1], /^$/],
  'zkops wchs': ['checked', [3], /wchs is not in its whitelist/],
  'zkops conf': ['checked', [0], /CNXNS[\s\S]* 60 /],
  "zksh zk1 -c 'listquota /app'": ['open', [0], /znodes/],
  'zkops srvr -o plain': ['checked', [0], /\t3\.\d+\.\d+/],
};

const SIZING: Readonly<Record<string, Expected>> = {
  'zkops mntr --all': [
    'checked',
    JUDGED,
    /^(?=[\s\S]* znode_count )[\s\S]* approximate_data_size /,
  ],
  'zkops snap top DIR': ['open', [0], /\/app/],
  'zkops latency': ['open', JUDGED, /create/],
};

function commandsOf(text: string): string[] {
  const found = text.matchAll(/`((?:zkops|zksh|nc|ls|grep|systemd-analyze) [^`]+)`/g);
  return [...new Set([...found].map(([, command = '']) => command))].toSorted();
}

/** Plays each command of `text`, which must name exactly those of `expected`. */
function playCommands(
  text: string,
  expected: Readonly<Record<string, Expected>>,
  run: (
    command: string,
    place: Place,
  ) => { readonly status: number | null; readonly output: string },
): void {
  const named = commandsOf(text).filter((command) => ELSEWHERE[command] === undefined);
  assert.equal(named, Object.keys(expected).toSorted());
  for (const [command, [place, statuses, output]] of Object.entries(expected)) {
    const found = run(command, place);
    assert.ok(
      statuses.some((one) => one === found.status),
      `${command}\n${found.output}`,
    );
    assert.match(found.output, output, `${command}\n${found.output}`);
  }
}

test('the commands of the security checklist and of the page on sizing work', async () => {
  const home = makeTempDir('checks');
  const security = readProjectFile('docs/security.md');
  const [settings = ''] = blocksOf(security, 'properties server');
  const env = { ...process.env, PATH: programPath(home.path), NO_COLOR: '1' };
  writeFileSync(join(home.path, 'zoo.cfg'), settings);
  const config = Object.fromEntries(
    settings
      .trim()
      .split('\n')
      .map((line) => line.split('=')),
  );
  const servers: Partial<Record<Place, BundledProcess>> = {};
  const run = (command: string, place: Place) => {
    const server = `127.0.0.1:${servers[place]?.port}`;
    const script = command.replace('zk1', server).replace('DIR', join(home.path, place));
    const { status, stdout, stderr } = spawnSync('sh', ['-c', script], {
      cwd: home.path,
      env: { ...env, ...(command.includes('DIR') ? {} : { ZKOPS_SERVERS: server }) },
      encoding: 'utf8',
    });
    return { status, output: stdout + stderr };
  };
  try {
    servers.checked = await spawnBundled(join(home.path, 'checked'), config);
    servers.open = await spawnBundled(join(home.path, 'open'), { snapCount: '4' });
    const made = run(
      "zksh zk1 -c 'create /app x; setquota -n 9 /app; create /b; create /c'",
      'open',
    );
    assert.is(made.status, 0, made.output);
    playCommands(security, SECURITY, run);
    playCommands(readProjectFile('docs/sizing.md'), SIZING, run);
  } finally {
    for (const server of Object.values(servers)) await server.stop('SIGKILL');
    home.remove();
  }
});

test.run();
