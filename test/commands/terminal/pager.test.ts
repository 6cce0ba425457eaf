import { chmodSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { pagerCommand } from '../../../src/commands/terminal/pager.js';
import { readPager } from '../../../src/commands/zksh/configuration.js';
import { makeTempDir } from '../../support/machine/temp-dir.js';
import { makeShellWorld } from '../../support/terminal/shell-world.js';

test('the configuration counts before $PAGER, and that before less', () => {
  const home = makeTempDir();
  try {
    const PATH = `/nothing:${home.path}`;
    assert.is(pagerCommand({ PATH }), undefined);
    const less = join(home.path, 'less');
    writeFileSync(less, '');
    assert.is(pagerCommand({ PATH }), undefined);
    chmodSync(less, 0o755);
    assert.is(pagerCommand({ PATH }), 'less -FRX');
    assert.is(pagerCommand({ PATH, PAGER: 'more -d' }), 'more -d');
    assert.is(pagerCommand({ PATH, PAGER: '' }), undefined);
    assert.is(pagerCommand({ PATH, PAGER: 'more' }, true), 'more');
    assert.is(pagerCommand({ PATH, PAGER: 'more' }, false), undefined);
    assert.is(pagerCommand({ PATH, PAGER: 'more' }, 'less -S'), 'less -S');
  } finally {
    home.remove();
  }
});

test('"pager" of the configuration is true, false or a command', async () => {
  const home = makeTempDir();
  const file = join(home.path, 'config.json');
  try {
    assert.is(await readPager(file), undefined);
    for (const pager of [true, false, 'less -S']) {
      writeFileSync(file, JSON.stringify({ pager }));
      assert.is(await readPager(file), pager);
    }
    writeFileSync(file, '{"pager": 1}');
    const fault = await readPager(file).catch((error: unknown) => String(error));
    assert.match(String(fault), /invalid "pager" .expected true, false, or a command/);
  } finally {
    home.remove();
  }
});

test('pager switches it, and says which', async () => {
  const world = makeShellWorld();
  assert.is(await world.run('pager; pager off; pager'), 'pager is on\npager is off\n');
  assert.is(world.session.isPaging, false);
});

test.run();
