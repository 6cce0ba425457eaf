/** Each installed application notices no kill of a leader of zkserver. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { CLICKHOUSE } from './clickhouse.js';
import { PATRONI } from './patroni.js';
import { RECIPES } from './recipes.js';
import { runApplication } from './run-application.js';

const KILLS = 2;

for (const application of [...RECIPES, CLICKHOUSE, PATRONI]) {
  const { name, source } = application;
  const isInstalled = application.version() !== undefined;
  if (!isInstalled) {
    const why = `${source} is not installed`;
    if (process.env['ZK_ORACLE'] === 'required') throw new Error(`ZK_ORACLE=required, but ${why}`);
    console.log(`skipped: ${name}: ${why}`);
  }
  const register = isInstalled ? test : test.skip;
  register(`${name} works while leaders are killed`, async () => {
    const { problems } = await runApplication(application, 'zkserver', KILLS);
    assert.equal(problems, []);
  });
}

test.run();
