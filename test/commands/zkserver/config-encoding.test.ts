import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CommandError } from '../../../src/commands/program/command-error.js';
import { targetOf } from '../../../src/commands/zkserver/target.js';
import { makeTempDir } from '../../support/machine/temp-dir.js';

interface Read {
  readonly dataDir: string;
  readonly warnings: string;
}

/** The folder that zoo.cfg means, or the refusal. */
function withConfig(use: (home: string, read: (line: Buffer | string) => Read) => void): void {
  const home = makeTempDir('encoding');
  const file = join(home.path, 'zoo.cfg');
  try {
    use(home.path, (line) => {
      const rest = `clientPort=2181\ndataDir=${home.path}/`;
      writeFileSync(file, Buffer.concat([Buffer.from(rest), Buffer.from(line)]));
      try {
        const { dataDir, warnings } = targetOf({
          operands: [file],
          properties: {},
          ownProperties: {},
          options: {},
        });
        const shown = warnings.filter((text) => text.includes('ASCII')).join('\n');
        return { dataDir: dataDir.slice(home.path.length + 1), warnings: shown };
      } catch (error) {
        assert.instance(error, CommandError);
        return { dataDir: '', warnings: (error as Error).message };
      }
    });
  } finally {
    home.remove();
  }
}

function putData(home: string, folder: string): void {
  const files = join(home, folder, 'version-2');
  mkdirSync(files, { recursive: true });
  writeFileSync(join(files, 'snapshot.0'), '');
}

test('bytes beyond ASCII are read as by Java, and reported', () =>
  withConfig((_, read) => {
    // C3 A9 is é in UTF-8.
    const utf8 = read(Buffer.from('d\u00e9', 'utf8'));
    assert.is(utf8.dataDir, 'd\u00c3\u00a9');
    assert.match(utf8.warnings, /zoo\.cfg:2: dataDir: has bytes beyond ASCII/);
    assert.match(utf8.warnings, 'd\\u00e9');
    const latin1 = read(Buffer.from('d\u00e9', 'latin1'));
    assert.is(latin1.dataDir, 'd\u00e9');
    assert.match(latin1.warnings, 'has bytes beyond ASCII');
    for (const plain of ['d\\u00e9', 'de']) assert.is(read(plain).warnings, '');
    assert.is(read('d\\u00e9').dataDir, 'd\u00e9');
    assert.match(read('d\n# \u00e9\nfoo=\u00e9\n').warnings, /^[^\n]*zoo\.cfg:4: foo: [^\n]*$/);
  }));

test('an empty folder beside one with data of another reading is refused', () =>
  withConfig((home, read) => {
    const bytes = Buffer.from('d\u00e9', 'utf8');
    putData(home, 'd\u00e9');
    const { dataDir, warnings } = read(bytes);
    assert.is(dataDir, '');
    assert.match(warnings, `${home}/d\u00c3\u00a9 has no data, but ${home}/d\u00e9 has`);
    assert.match(warnings, `dataDir=${home}/d\\u00e9`);
    assert.is(read('d\\u00e9').dataDir, 'd\u00e9');
    putData(home, 'd\u00c3\u00a9');
    assert.is(read(bytes).dataDir, 'd\u00c3\u00a9');
  }));

test('the folder of a server without a locale is found', () =>
  withConfig((home, read) => {
    // Java writes ? for what the locale cannot encode.
    putData(home, 'd??');
    assert.match(read(Buffer.from('d\u00e9', 'utf8')).warnings, `${home}/d?? has`);
    putData(home, 'e?');
    assert.match(read('e\\u00e9').warnings, `${home}/e? has`);
    assert.is(read('d??').dataDir, 'd??');
  }));

test.run();
