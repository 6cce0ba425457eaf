import { connect } from 'node:net';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ClientPort } from '../../../src/server/node/client-port.js';
import { waitFor } from '../../support/wait-for.js';

const MIB = 1024 * 1024;

test('one turn takes its part from a client that sends much, and the next ones the rest', async () => {
  let turn = 0;
  let longest = 0;
  let all = 0;
  const port = new ClientPort({
    host: '127.0.0.1',
    port: 0,
    backlog: 5,
    step: (event) => {
      if (event.kind !== 'received') return;
      if (turn === 0) {
        setImmediate(() => {
          turn = 0;
        });
      }
      turn += event.bytes.length;
      all += event.bytes.length;
      longest = Math.max(longest, turn);
    },
  });
  await port.listen();
  const socket = connect(port.port, '127.0.0.1');
  try {
    socket.write(Buffer.alloc(16 * MIB));
    await waitFor('all of it', () => all === 16 * MIB);
    assert.ok(longest < MIB, `${longest} bytes in one turn`);
  } finally {
    socket.destroy();
    await port.shutDown();
  }
});

test.run();
