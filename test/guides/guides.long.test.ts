/** The guides that take less than a minute. `npm run guides` plays all of them. */

import { test } from 'uvu';
import { namespaceTest } from '../support/machine/namespaces.js';
import { GUIDES } from './guides.js';
import { makeMachines } from './machines.js';

for (const { name, play } of GUIDES.filter(({ isSlow }) => isSlow !== true)) {
  namespaceTest(`the guide works: ${name}`, async () => {
    const machines = makeMachines();
    try {
      await play(machines);
    } finally {
      machines.close();
    }
  });
}

test.run();
