import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { type RunningConsole, startConsole } from './console-world.js';
import { cpuOf, startMembers } from './member-processes.js';

const MEASURED_MS = 30_000;

/** Prints the cost of a console; the machine decides the figures, so it asserts none. */
test('the cost of an idle console for each member is measured', async () => {
  const members = await startMembers();
  let api: RunningConsole | undefined;
  const stream = new AbortController();
  try {
    const pids = members.all.map(({ pid }) => pid);
    const measure = async (what: string) => {
      const shares = await cpuOf(pids, MEASURED_MS);
      const shown = shares.map((share, at) => `${share.toFixed(2)} % (${members.all[at]?.role})`);
      console.log(`${what}: ${shown.join(', ')} of a core`);
      assert.ok(shares.every((share) => share >= 0));
    };
    await measure('without a console');
    api = await startConsole(members.connectString);
    assert.is((await api.ask('/ready')).status, 200);
    await measure('with a console   ');
    const page = await fetch(`${api.url}api/v1/events?path=/`, { signal: stream.signal });
    assert.is(page.status, 200);
    await measure('with an open page');
  } finally {
    stream.abort();
    await api?.stop();
    await members.close();
  }
});

test.run();
