/** Each installed application works on zkserver while leaders are killed. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { applicationTest } from './application-test.js';
import { CLICKHOUSE } from './clickhouse.js';
import { PATRONI } from './patroni.js';
import { RECIPES } from './recipes.js';
import { runApplication } from './run-application.js';

const KILLS = 2;

for (const application of [...RECIPES, CLICKHOUSE, PATRONI]) {
  applicationTest(application)(`${application.name} works while leaders are killed`, async () => {
    const { problems } = await runApplication(application, 'zkserver', KILLS);
    assert.equal(problems, []);
  });
}

test.run();
