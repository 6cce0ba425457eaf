import { type SpawnSyncReturns, spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { delimiter, join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeTempDir } from '../support/machine/temp-dir.js';
import { PROJECT_ROOT } from '../support/tidy/source-file.js';

// scripts/ensure.mjs in a project whose npm and tsc only record their calls.

interface Project {
  readonly path: string;
  ensure(input?: string, ...args: readonly string[]): SpawnSyncReturns<string>;
  /** The calls since the last check. */
  calls(): string[];
  /** Makes a file newer than all stamps. */
  touch(name: string): void;
  breakBuild(isBroken: boolean): void;
  remove(): void;
}

const NPM = '#!/bin/sh\necho npm "$@" >> "$CALLS"\ncat >> "$CALLS"\n';
const TSC = `import { appendFileSync, mkdirSync } from 'node:fs';
appendFileSync(process.env.CALLS, 'tsc\\n');
mkdirSync('dist', { recursive: true });
process.exit(Number(process.env.TSC_STATUS));
`;
const BUNDLE = `import { appendFileSync } from 'node:fs';
appendFileSync(process.env.CALLS, 'bundle\\n');
`;

function makeProject(): Project {
  const home = makeTempDir('ensure');
  const at = (...parts: readonly string[]): string => join(home.path, ...parts);
  for (const folder of [
    'scripts',
    'src/a',
    'test',
    'bench',
    'bin',
    'node_modules/typescript/bin',
  ]) {
    mkdirSync(at(folder), { recursive: true });
  }
  copyFileSync(join(PROJECT_ROOT, 'scripts', 'ensure.mjs'), at('scripts', 'ensure.mjs'));
  writeFileSync(at('scripts', 'bundle.mjs'), BUNDLE);
  writeFileSync(at('bin', 'npm'), NPM);
  chmodSync(at('bin', 'npm'), 0o755);
  writeFileSync(at('node_modules/typescript/bin/tsc'), TSC);
  writeFileSync(at('node_modules/typescript/package.json'), '{ "type": "module" }');
  for (const file of ['package.json', 'package-lock.json', 'tsconfig.json', 'src/a/b.ts']) {
    writeFileSync(at(file), '{}');
  }
  let status = 0;
  let clock = Date.now() / 1000;
  const log = at('calls.txt');
  return {
    path: home.path,
    ensure: (input = '', ...args) =>
      spawnSync('sh', ['-c', `node scripts/ensure.mjs ${args.join(' ')} && cat`], {
        cwd: home.path,
        encoding: 'utf8',
        input,
        env: {
          ...process.env,
          PATH: [at('bin'), process.env['PATH']].join(delimiter),
          CALLS: log,
          TSC_STATUS: String(status),
        },
      }),
    calls: () => {
      const calls = existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [];
      rmSync(log, { force: true });
      return calls;
    },
    touch: (name) => {
      clock += 60;
      utimesSync(at(name), clock, clock);
    },
    breakBuild: (isBroken) => {
      status = isBroken ? 2 : 0;
    },
    remove: home.remove,
  };
}

function inProject(run: (project: Project) => void): void {
  const project = makeProject();
  try {
    run(project);
  } finally {
    project.remove();
  }
}

const INSTALL = 'npm ci --ignore-scripts --no-audit --no-fund --no-progress --loglevel=error';
const COMPILE = 'npm rebuild zookeeper --no-progress --loglevel=error';
const BUILD = ['tsc', 'bundle'];

test('the first run installs and builds, the second does nothing', () => {
  inProject((project) => {
    assert.is(project.ensure().status, 0);
    assert.equal(project.calls(), [INSTALL, ...BUILD]);
    const second = project.ensure();
    assert.is(second.status, 0);
    assert.equal(project.calls(), []);
    assert.is(second.stderr, '');
  });
});

for (const file of ['src/a/b.ts', 'tsconfig.json', 'test', 'bench', 'scripts/bundle.mjs']) {
  test(`a newer ${file} causes a build without an install`, () => {
    inProject((project) => {
      project.ensure();
      project.calls();
      project.touch(file);
      project.ensure();
      assert.equal(project.calls(), BUILD);
    });
  });
}

for (const file of ['package.json', 'package-lock.json']) {
  test(`a newer ${file} causes an install`, () => {
    inProject((project) => {
      project.ensure();
      project.calls();
      project.touch(file);
      project.ensure();
      assert.equal(project.calls()[0], INSTALL);
    });
  });
}

test('a failed build fails the run, and the next run retries it', () => {
  inProject((project) => {
    project.breakBuild(true);
    const { status, stderr } = project.ensure();
    assert.is(status, 2);
    assert.match(stderr, /failed/);
    assert.equal(project.calls(), [INSTALL, 'tsc']);
    project.breakBuild(false);
    assert.is(project.ensure().status, 0);
    assert.equal(project.calls(), BUILD);
  });
});

test('a failed install fails the run before the build', () => {
  inProject((project) => {
    writeFileSync(join(project.path, 'bin', 'npm'), '#!/bin/sh\nexit 7\n');
    const { status, stderr } = project.ensure();
    assert.is(status, 7);
    assert.match(stderr, /npm ci .* failed/);
    assert.equal(project.calls(), []);
  });
});

test('only --native compiles the C client, once', () => {
  inProject((project) => {
    project.ensure();
    assert.equal(project.calls(), [INSTALL, ...BUILD]);
    assert.is(project.ensure('', '--native').status, 0);
    assert.equal(project.calls(), [COMPILE]);
    project.ensure('', '--native');
    assert.equal(project.calls(), []);
  });
});

test('a machine without a compiler builds everything else, and says what it skips', () => {
  inProject((project) => {
    project.ensure();
    writeFileSync(join(project.path, 'bin', 'npm'), '#!/bin/sh\nexit 1\n');
    const { status, stderr } = project.ensure('', '--native');
    assert.is(status, 0);
    assert.match(stderr, 'npm rebuild zookeeper --no-progress --loglevel=error failed: its tests');
  });
});

test('each long step says that it began', () => {
  inProject((project) => {
    const { stderr } = project.ensure('', '--native');
    assert.is(
      stderr,
      "installing packages …\ncompiling Apache's C client …\ncompiling …\nbundling …\n",
    );
  });
});

test('standard input stays unread for the next command, standard output stays empty', () => {
  inProject((project) => {
    assert.is(project.ensure('ls /\nget /a\n').stdout, 'ls /\nget /a\n');
    assert.equal(project.calls(), [INSTALL, ...BUILD]);
  });
});

test.run();
