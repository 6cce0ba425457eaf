import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../../../src/client/index.js';
import {
  layOutEnsemble,
  type RunningServer,
  type SeatLayout,
  startServer,
} from '../../../../src/server/main.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { withClient } from '../../../support/peers/seat-client.js';
import { type SlowProxy, startSlowProxy } from '../../../support/peers/slow-proxy.js';
import { waitFor } from '../../../support/wait-for.js';

// A member whose link to the leader needs several times initLimit for the leader's tree.

const VALUE = Buffer.alloc(1_000_000, 'x');
/** More than the buffers of the kernel hold. */
const ZNODES = 40;
const BYTES_PER_SECOND = 6_000_000;
const LIMITS = { tickTime: '500', initLimit: '2', syncLimit: '4' };
const MAX_WRITES = 2_000;

function start(seat: SeatLayout, lines: Readonly<Record<string, string>>): Promise<RunningServer> {
  const rest = { clientPort: `${seat.clientPort}`, 'admin.enableServer': 'false' };
  return startServer({ config: { ...seat.config, ...LIMITS, ...rest, ...lines } });
}

/** The lines of a member that reaches the others only through slow links. */
async function slowLines(seats: readonly SeatLayout[], proxies: SlowProxy[]) {
  const lines: Record<string, string> = {};
  for (const { sid, quorumPort, electionPort, clientPort } of seats.slice(0, 2)) {
    const proxy = await startSlowProxy(quorumPort, BYTES_PER_SECOND);
    proxies.push(proxy);
    const place = `127.0.0.1:${proxy.port}:${electionPort}:participant`;
    lines[`server.${sid}`] = `${place};127.0.0.1:${clientPort}`;
  }
  return lines;
}

test('a member joins over a slow link, while clients write', async () => {
  const { path: dir, remove } = makeTempDir('slow-link');
  const seats = await layOutEnsemble({ size: 3, observers: 0, dir });
  const proxies: SlowProxy[] = [];
  const servers: RunningServer[] = [];
  try {
    const [first, second, third] = seats as [SeatLayout, SeatLayout, SeatLayout];
    servers.push(...(await Promise.all([start(first, {}), start(second, {})])));
    await waitFor('a leader', () => servers.some(({ mode }) => mode === 'leader'));
    const client = createClient({ connectString: `127.0.0.1:${second.clientPort}` });
    await client.connect();
    try {
      for (let i = 0; i < ZNODES; i++) await client.create(`/big${i}`, VALUE);
      const slow = await start(third, await slowLines(seats, proxies));
      servers.push(slow);
      await waitFor('the snapshot', () => proxies.some(({ forwarded }) => forwarded > 1_000_000));
      let written = 0;
      while (slow.mode === undefined && written < MAX_WRITES) {
        await client.create(`/n${written++}`, VALUE.subarray(0, 20_000));
      }
      await waitFor('it to serve', () => slow.mode === 'follower');
      // No second try.
      const total = proxies.reduce((sum, { forwarded }) => sum + forwarded, 0);
      assert.ok(total < 1.5 * ZNODES * VALUE.length + 2 * MAX_WRITES * 20_000, `${total}`);
      await withClient({ connectString: `127.0.0.1:${third.clientPort}` }, async (reader) => {
        await reader.sync('/');
        const { children } = await reader.getChildren('/');
        assert.is(children.length, ZNODES + written + 1);
      });
    } finally {
      await client.close();
    }
  } finally {
    for (const server of servers) await server.close();
    for (const proxy of proxies) await proxy.close();
    remove();
  }
});

test.run();
