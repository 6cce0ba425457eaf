import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { startBundledEnsemble } from '../../../../support/bundled.js';
import { makeTempDir } from '../../../../support/machine/temp-dir.js';
import { runZksh } from '../../../../support/terminal/run-zksh.js';

const GROUPS = ['group.1=1', 'group.2=2', 'group.3=3'];
const CONFIG = { reconfigEnabled: 'true', skipACL: 'yes', 'admin.enableServer': 'false' };

function hierarchyIn(text: string): string[] {
  return text.split('\n').filter((line) => /^(group|weight)\./.test(line));
}

test('the saved configuration can be edited and given back, with groups and weights', async () => {
  const dir = makeTempDir('reconfig');
  const groups = Object.fromEntries(GROUPS.map((line) => line.split('=') as [string, string]));
  const ensemble = await startBundledEnsemble({ size: 3, config: { ...CONFIG, ...groups } });
  const zksh = (...args: string[]) => runZksh([ensemble.connectString, ...args]);
  try {
    const file = join(dir.path, 'members.cfg');
    // The lines of a static configuration lack the client ports, which the members keep.
    const saved = (await zksh('-c', 'config')).stdout.replace(
      /^(server\.(\d+)=[^;\n]*)$/gm,
      (_, line, sid) => `${line};127.0.0.1:${ensemble.members[Number(sid) - 1]?.port}`,
    );
    assert.equal(hierarchyIn(saved), [...GROUPS, 'weight.1=1', 'weight.2=1', 'weight.3=1']);
    writeFileSync(file, saved.replace('weight.2=1', 'weight.2=3'));
    const done = await zksh('-c', `reconfig --file ${file}`);
    assert.is(done.stderr, '');
    const wanted = [...GROUPS, 'weight.1=1', 'weight.2=3', 'weight.3=1'];
    assert.equal(hierarchyIn(done.stdout), wanted);

    writeFileSync(file, readFileSync(file, 'utf8').replace('weight.3=1', 'weight.3=2'));
    const again = await runZksh([
      '--zkcli',
      '-server',
      ensemble.connectString,
      'reconfig',
      '-file',
      file,
    ]);
    assert.equal(hierarchyIn(again.stdout), wanted.with(5, 'weight.3=2'), again.stderr);
    assert.equal(hierarchyIn((await zksh('-c', 'config')).stdout), wanted.with(5, 'weight.3=2'));

    writeFileSync(file, 'server.1=127.0.0.1:1:2;3\ngroup.1=1:2\n');
    const refused = await zksh('-c', `reconfig --file ${file}`);
    assert.match(refused.stderr, 'cannot read members: group.1: unknown server 2');
  } finally {
    await ensemble.close();
    dir.remove();
  }
});

test.run();
