import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FileWatcher } from '../../../../src/server/node/tls/file-watcher.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { waitFor } from '../../../support/wait-for.js';

/** Replaces a link at once, as Kubernetes and certbot do. */
function relink(target: string, path: string): void {
  symlinkSync(target, `${path}.new`);
  renameSync(`${path}.new`, path);
}

/** A folder, and the changes of a file that links lead to. */
async function watched(
  make: (at: (name: string) => string) => string,
  changes: readonly ((at: (name: string) => string) => void)[],
): Promise<void> {
  const home = makeTempDir('file-watcher');
  const at = (name: string) => join(home.path, name);
  const warnings: string[] = [];
  let seen = 0;
  const watcher = new FileWatcher(
    [make(at)],
    () => seen++,
    (message) => warnings.push(message),
  );
  try {
    for (const [index, change] of changes.entries()) {
      change(at);
      await waitFor(`change ${index}`, () => seen === index + 1);
    }
    assert.equal(warnings, []);
  } finally {
    watcher.close();
    home.remove();
  }
}

const version = (at: (name: string) => string, name: string, text = name): void => {
  mkdirSync(at(name), { recursive: true });
  writeFileSync(join(at(name), 'tls.pem'), text);
};

test('a file that is replaced or written', () =>
  watched(
    (at) => {
      version(at, 'a');
      return at('a/tls.pem');
    },
    [
      (at) => writeFileSync(at('a/tls.pem'), '2'),
      (at) => {
        writeFileSync(at('a/new'), '3');
        renameSync(at('a/new'), at('a/tls.pem'));
      },
    ],
  ));

test('the link ..data of a volume of Kubernetes', () =>
  watched(
    (at) => {
      version(at, 'volume/..1');
      symlinkSync('..1', at('volume/..data'));
      symlinkSync('..data/tls.pem', at('volume/tls.pem'));
      return at('volume/tls.pem');
    },
    ['..2', '..3'].map((name) => (at: (name: string) => string) => {
      version(at, `volume/${name}`);
      relink(name, at('volume/..data'));
    }),
  ));

test('a link elsewhere that leads to such a volume', () =>
  watched(
    (at) => {
      version(at, 'volume/..1');
      symlinkSync('..1', at('volume/..data'));
      symlinkSync('..data/tls.pem', at('volume/tls.pem'));
      mkdirSync(at('etc'));
      symlinkSync('../volume/tls.pem', at('etc/server.pem'));
      return at('etc/server.pem');
    },
    ['..2', '..3'].map((name) => (at: (name: string) => string) => {
      version(at, `volume/${name}`);
      relink(name, at('volume/..data'));
    }),
  ));

test('a folder that is a link, and changes in the folder that it leads to then', () =>
  watched(
    (at) => {
      version(at, 'v1');
      version(at, 'v2');
      symlinkSync('v1', at('tls'));
      return at('tls/tls.pem');
    },
    [
      (at) => relink(at('v2'), at('tls')),
      (at) => writeFileSync(at('v2/tls.pem'), 'renewed'),
      (at) => {
        version(at, 'v3');
        relink('v3', at('tls'));
      },
    ],
  ));

test('a folder that another replaces, or that is removed and made again', () =>
  watched(
    (at) => {
      version(at, 'etc/tls', '1');
      return at('etc/tls/tls.pem');
    },
    [
      ...['2', '3'].map((name) => (at: (name: string) => string) => {
        version(at, name);
        renameSync(at('etc/tls'), at(`old-${name}`));
        renameSync(at(name), at('etc/tls'));
      }),
      (at) => writeFileSync(at('etc/tls/tls.pem'), '4'),
      (at) => rmSync(at('etc'), { recursive: true }),
      (at) => version(at, 'etc/tls', '5'),
    ],
  ));

test('a file beside one that changes all the time', async () => {
  let noise: NodeJS.Timeout | undefined;
  try {
    await watched(
      (at) => {
        version(at, 'a');
        return at('a/tls.pem');
      },
      [
        (at) => {
          noise = setInterval(() => writeFileSync(at('a/log'), `${Math.random()}`), 50);
          writeFileSync(at('a/tls.pem'), '2');
        },
      ],
    );
  } finally {
    clearInterval(noise);
  }
});

test('links in a circle become a file', () =>
  watched(
    (at) => {
      symlinkSync('b', at('a'));
      symlinkSync('a', at('b'));
      return at('a');
    },
    [
      (at) => {
        writeFileSync(at('c'), 'x');
        relink('c', at('b'));
      },
    ],
  ));

test.run();
