import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ZooKeeper } from '../../../../../src/client/zookeeper.js';
import type { CommandContext } from '../../../../../src/commands/zksh/engine/command.js';
import { findSessionAddresses } from '../../../../../src/commands/zksh/verbs/recipes/list-places.js';
import { formatSessionId } from '../../../../../src/protocol/session-id.js';
import { makeTlsFiles, startSecure } from '../../../../support/tls/tls-world.js';

test('other connections use the TLS options of the session', async () => {
  const files = makeTlsFiles();
  const tls = { ca: files.authority.cert, cert: files.client.cert, key: files.client.key };
  const server = await startSecure(files, { '4lw.commands.whitelist': '*' });
  const target = `zks://127.0.0.1:${server.securePort}`;
  const client = new ZooKeeper({ connectString: target, tls });
  try {
    await client.connect();
    const session = { target, tls, wordTimeoutMs: 5000 };
    const context = { session, signal: new AbortController().signal };
    const { bySession, note } = await findSessionAddresses(context as unknown as CommandContext);
    assert.is(note, undefined);
    const address = bySession.get(formatSessionId(client.sessionId));
    assert.match(address ?? '', /^127\.0\.0\.1:\d+$/);
  } finally {
    await client.close();
    await server.close();
    files.remove();
  }
});

test.run();
