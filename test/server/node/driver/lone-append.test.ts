import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { Effect } from '../../../../src/server/effects.js';
import { Driver } from '../../../../src/server/node/driver/driver.js';
import type { PeerPorts } from '../../../../src/server/node/driver/perform.js';
import type { Storage } from '../../../../src/server/node/storage/disk-options.js';
import type { Server } from '../../../../src/server/server.js';
import { waitFor } from '../../../support/wait-for.js';

// Whether the thread may block for an append: only if no other server waits for this one.

const APPEND: Effect = {
  kind: 'append',
  bytes: Buffer.alloc(10),
  firstZxid: 1n,
  lastZxid: 1n,
  whenDurable: { kind: 'ack', zxid: 1n },
};

/** A turn with `events` events and one append. Returns whether the append was alone. */
async function turn(events: number, isMember: boolean): Promise<boolean | undefined> {
  const alone: boolean[] = [];
  const append = (_bytes: Buffer, _zxid: bigint, _then: () => void, isAlone: boolean): void => {
    alone.push(isAlone);
  };
  const effects = [APPEND];
  const driver = new Driver({
    core: {
      server: {} as Server,
      step: () => undefined,
      drain: () => effects.splice(0),
      nextWakeMs: Number.POSITIVE_INFINITY,
    },
    storage: { log: { append }, dir: {} } as unknown as Storage,
    tickTimeMs: 2000,
    purge: { everyMs: 0, retain: 3 },
    onWarning: () => undefined,
    onReport: () => undefined,
    onFatal: () => undefined,
  });
  if (isMember) driver.peers = {} as PeerPorts;
  for (let i = 0; i < events; i++) driver.step({ kind: 'disconnected', connection: i });
  await waitFor('the append', () => alone.length > 0);
  return alone[0];
}

test('an append may block a standalone server that has nothing else to do', async () => {
  assert.is(await turn(1, false), true);
  assert.is(await turn(2, false), false);
});

test('an append never blocks a member of an ensemble', async () => {
  assert.is(await turn(1, true), false);
});

test.run();
