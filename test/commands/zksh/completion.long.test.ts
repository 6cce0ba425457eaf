import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../../src/client/zookeeper.js';
import { completionScript } from '../../../src/commands/machine/completion-script.js';
import {
  COMPLETION_SHELLS,
  type CompletionShell,
} from '../../../src/commands/machine/completion-shells.js';
import { startServer } from '../../../src/server/main.js';
import { freePort } from '../../support/machine/free-port.js';
import {
  completeInBash,
  completeInFish,
  completeInZsh,
  fishTest,
  zshTest,
} from '../../support/machine/outer-shells.js';
import { programPath } from '../../support/machine/program-path.js';
import { makeTempDir } from '../../support/machine/temp-dir.js';
import { runZksh } from '../../support/terminal/run-zksh.js';

// A busy machine must not hide what the servers answer.
process.env['ZKSH_COMPLETION_TIMEOUT'] = '30s';

const PATHS = ['/app', '/app/one', '/my node', "/my node/it's", '/größe', '/dol$lar&"co', '/wow!x'];

/** A server with znodes of hard names, and the folder of the programs. */
async function withServer(use: (server: string, home: string) => Promise<void> | void) {
  const home = makeTempDir('completion');
  const server = await startServer();
  const client = createClient({ connectString: server.connectString });
  try {
    await client.connect();
    for (const path of PATHS) await client.create(path, '');
    await use(server.connectString, home.path);
  } finally {
    await client.close();
    await server.close();
    home.remove();
  }
}

function outerShell(shell: CompletionShell, program: string, home: string) {
  return { program, script: completionScript(program, shell), path: programPath(home) };
}

async function candidates(words: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { code, stdout, stderr } = await runZksh(['__complete', '--', ...words], '', env);
  assert.equal([code, stderr], [0, ''], words.join(' '));
  return stdout;
}

async function values(words: readonly string[], env?: Readonly<Record<string, string>>) {
  return (await candidates(words, env))
    .trimEnd()
    .split('\n')
    .map((line) => line.split('\t')[0]);
}

const TYPED = [
  ['zksh --reado', '--readonly'],
  ['zksh -o nd', 'ndjson'],
  ['zksh compl', 'completion'],
  ['zksh completion f', 'fish'],
  ['zksh --data', '--data-dir'],
  ['zksh --output=js', '--output=json'],
  ['zksh h:1 getAl', 'getAllChildrenNumber'],
  ['zksh h:1 queue put --pr', '--priority'],
  ["zksh -c 'getAl", 'getAllChildrenNumber'],
] as const;

const LIVING = ['/ap', '/gr', '/my', '/my\\ node/i', "'/my node/i", '"/my node/i', '/dol', '"/dol'];
const QUOTED = [
  '/app/',
  '/größe',
  '/my\\ node/',
  "/my\\ node/it\\'s",
  "'/my node/it'\\''s'",
  '"/my node/it\'s"',
  '/dol\\$lar\\&\\"co',
  '"/dol\\$lar&\\"co"',
];

zshTest('bash and zsh complete words, options, values, and znodes', async () => {
  await withServer(async (server, home) => {
    const living = LIVING.map((text) => `zksh ${server} get ${text}`);
    for (const [shell, complete] of [
      ['bash', completeInBash],
      ['zsh', completeInZsh],
    ] as const) {
      const lines = await complete(outerShell(shell, 'zksh', home), [
        ...TYPED.map(([line]) => line),
        ...living,
        `zksh ${server} -c 'deleteall --dr`,
        `zksh -f ${home}/bi`,
      ]);
      const expected = TYPED.map(([line, word]) => line.replace(/[^ ']*$/, word));
      assert.equal(
        lines.map((line) => line.trimEnd().replace(/(?<=getAllChildrenNumber)'$/, '')),
        [
          ...expected,
          ...QUOTED.map((text) => `zksh ${server} get ${text}`),
          `zksh ${server} -c 'deleteall --dry-run'`,
          `zksh -f ${home}/bin/`,
        ],
        shell,
      );
    }
  });
});

zshTest('bash expands no history in a completed name', async () => {
  await withServer(async (server, home) => {
    const lines = ['/wo', "'/wo", '"/wo'].map((text) => `zksh ${server} get ${text}`);
    const completed = await completeInBash(outerShell('bash', 'zksh', home), lines);
    const expected = ['/wow\\!x', "'/wow!x'", `"/wow"'!'"x"`];
    assert.equal(
      completed.map((line) => line.trimEnd()),
      expected.map((text) => `zksh ${server} get ${text}`),
    );
  });
});

fishTest('fish completes words, options, values, and znodes', async () => {
  await withServer(async (server, home) => {
    const living = LIVING.filter((text) => !text.startsWith('"/dol'));
    const offers = await completeInFish(outerShell('fish', 'zksh', home), [
      ...TYPED.map(([line]) => line),
      ...living.map((text) => `zksh ${server} get ${text}`),
      `zksh ${server} -c 'deleteall --dr`,
      `zksh -f ${home}/bi`,
    ]);
    const children = ["/my node/it's", "/my node/it's", "/my node/it's"];
    const znodes = ['/app/', '/größe', '/my node/', ...children, '/dol$lar&"co'];
    const words = TYPED.map(([, word]) => word);
    assert.equal(offers, [...words, ...znodes, 'deleteall --dry-run', `${home}/bin/`]);
  });
});

zshTest('bash and zsh complete zkops and zkserver', async () => {
  const home = makeTempDir('completion');
  try {
    for (const [shell, complete] of [
      ['bash', completeInBash],
      ['zsh', completeInZsh],
    ] as const) {
      const ops = await complete(outerShell(shell, 'zkops', home.path), [
        'zkops heal',
        'zkops snap ver',
        'zkops check --crit out',
        'zkops gate --servers a:1,b:2 --restart b',
        `zkops health --ensemble ${home.path}/bi`,
      ]);
      assert.equal(
        ops.map((line) => line.trimEnd()),
        [
          'zkops health',
          'zkops snap verify',
          'zkops check --crit outstanding_requests=',
          'zkops gate --servers a:1,b:2 --restart b:2',
          `zkops health --ensemble ${home.path}/bin/`,
        ],
        shell,
      );
      const lines = ['zkserver start-', 'zkserver start -D zookeeper.snapC'];
      const server = await complete(outerShell(shell, 'zkserver', home.path), lines);
      assert.equal(
        server.map((line) => line.trimEnd()),
        ['zkserver start-foreground', 'zkserver start -D zookeeper.snapCount='],
        shell,
      );
    }
  } finally {
    home.remove();
  }
});

test('profiles name servers and their znodes, and no password prompt appears', async () => {
  await withServer(async (server, home) => {
    const ZKSH_CONFIG = join(home, 'config.json');
    const profiles = { test: { connect: server }, other: { connect: 'zk9/app' } };
    writeFileSync(ZKSH_CONFIG, JSON.stringify({ profiles }));
    const env = { ZKSH_CONFIG };
    assert.equal(await values(['--profile', ''], env), ['test', 'other']);
    assert.equal(await values(['-P', 'test', 'ls', '/ap'], env), ['/app/', ':nospace']);
    assert.equal(await values(['--ask-auth', 'me', '-P', 'test', 'ls', '/app/o'], env), [
      '/app/one',
    ]);
    assert.equal(await values(['zk9'], env), ['zk9/app']);
    assert.equal(await values(['ls', '/gr'], { ZKSH_CONNECT: server }), ['/größe']);
  });
});

test('without a server, paths have no candidates and errors stay silent', async () => {
  const server = `127.0.0.1:${await freePort()}`;
  assert.is(await candidates([server, 'ls', '/']), '');
  assert.is(await candidates(['--timeout', 'never', server, 'ls', '/']), '');
  assert.is(await candidates(['--profile', 'missing', 'ls', '/']), '');
  assert.equal(await values([server, 'ls', '--rec']), ['--recursive']);
  assert.is(await candidates([]).then((text) => text.startsWith('ls\t')), true);
});

test('zksh completion prints the script, and an unknown shell is refused', async () => {
  for (const shell of COMPLETION_SHELLS) {
    const run = await runZksh(['completion', shell]);
    assert.equal([run.code, run.stderr], [0, '']);
    assert.is(run.stdout, completionScript('zksh', shell));
  }
  const unknown = await runZksh(['completion', 'tcsh']);
  assert.equal([unknown.code, unknown.stdout], [64, '']);
  assert.match(
    unknown.stderr,
    /^zksh: completion: unknown shell: "tcsh" \(expected bash, zsh, or fish\)\n/,
  );
});

test.run();
