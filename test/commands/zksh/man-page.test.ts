import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { usageOf } from '../../../src/commands/zksh/engine/command.js';
import { manPage } from '../../../src/commands/zksh/man-page.js';
import { allCommands } from '../../../src/commands/zksh/running/registry.js';
import { makeShellWorld } from '../../support/shell-world.js';

/** Below the repository's root, wherever this was built to. */
function repositoryFile(name: string): string {
  for (let folder = new URL('./', import.meta.url); ; folder = new URL('../', folder)) {
    const file = fileURLToPath(new URL(name, folder));
    try {
      readFileSync(file);
      return file;
    } catch {
      if (folder.pathname === '/') throw new Error(`no ${name} above this test`);
    }
  }
}

test('man/zksh.1 is what the declarations say (UPDATE_GOLDEN=1 writes it)', async () => {
  const file = repositoryFile('man/zksh.1');
  const page = manPage(await allCommands());
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, page);
  assert.fixture(readFileSync(file, 'utf8'), page);
});

test('every command is in the man page and in help', async () => {
  const page = manPage(await allCommands()).replace(/\\-/g, '-');
  const help = await makeShellWorld().run('help');
  for (const command of await allCommands()) {
    assert.ok(page.includes(`.SS ${usageOf(command)}\n`), command.name);
    assert.ok(help.includes(usageOf(command)), command.name);
  }
});

test.run();
