/** The guides that take less than a minute. `npm run prove -- guides` plays all of them. */

import { test } from 'uvu';
import { bootedTest } from '../support/machine/booted-systemd.js';
import { namespaceTest } from '../support/machine/namespaces.js';
import { GUIDES, machinesOf } from './guides.js';
import { makeMachines } from './machines.js';

/** A skipped one of the two has printed its reason. */
const guideTest = bootedTest === test ? namespaceTest : bootedTest;

for (const guide of GUIDES.filter(({ isSlow }) => isSlow !== true)) {
  guideTest(`the guide works: ${guide.name}`, async () => {
    const machines = await makeMachines(machinesOf(guide));
    try {
      await guide.play(machines);
    } finally {
      machines.close();
    }
  });
}

test.run();
