import * as assert from 'uvu/assert';
import { CreateModes } from '../../../src/client/index.js';
import type { Seat } from '../../support/apache/oracle-ensemble.js';
import { withClient } from '../../support/peers/seat-client.js';
import { waitFor } from '../../support/wait-for.js';

/** Writes of all kinds through one member, seen by a client of every other. */
export async function writeThrough(seat: Seat, others: readonly Seat[]): Promise<void> {
  const top = `/by-${seat.sid}`;
  await withClient(seat, async (client) => {
    await client.create(top, Buffer.from('first'));
    await client.setData(top, Buffer.from('second'), 0);
    await client.create(`${top}/ephemeral`, null, { mode: CreateModes.EPHEMERAL });
    await client.create(`${top}/sequence-`, null, { mode: CreateModes.PERSISTENT_SEQUENTIAL });
    await client.create(`${top}/gone`, null);
    await client.delete(`${top}/gone`);
    for (const other of others) {
      await withClient(other, async (reader) => {
        await reader.sync('/');
        assert.is(`${(await reader.getData(top)).data}`, 'second');
        const { children } = await reader.getChildren(top);
        assert.equal([...children].sort(), ['ephemeral', 'sequence-0000000001']);
      });
    }
  });
  for (const other of others) {
    await waitFor(`the end of the ephemeral at ${other.sid}`, () =>
      withClient(other, async (reader) => !(await reader.exists(`${top}/ephemeral`))),
    );
  }
}
