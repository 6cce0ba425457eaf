import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { createClient } from '../../../../src/client/index.js';
import { sessionPassword } from '../../../../src/protocol/session-id.js';
import { makeSessionPasswords } from '../../../../src/server/node/boot/session-passwords.js';
import { startBundled } from '../../../support/bundled.js';
import { makeTempDir } from '../../../support/machine/temp-dir.js';
import { waitFor } from '../../../support/wait-for.js';

function withSecret<T>(secret: string, body: (path: string) => T): T {
  const home = makeTempDir('session-secret');
  const path = join(home.path, 'secret');
  writeFileSync(path, secret, { mode: 0o600 });
  try {
    return body(path);
  } finally {
    home.remove();
  }
}

test('passwords depend on the id and the secret; without one, they are those of Apache', () => {
  assert.is(makeSessionPasswords({ sessionSecretFile: null }), sessionPassword);
  const of = (secret: string, id: bigint) =>
    withSecret(secret, (path) => makeSessionPasswords({ sessionSecretFile: path })(id));
  const first = of('correct horse battery\n', -5n);
  assert.is(first.length, 16);
  assert.equal(of('correct horse battery', -5n), first, 'the end of the line does not count');
  for (const other of [of('incorrect horse battery', -5n), of('correct horse battery', -6n)]) {
    assert.not.equal(other, first);
  }
  assert.not.equal(sessionPassword(-5n), first);
});

test('a secret that is short or missing is refused with its path', () => {
  const problem = (path: string): string => {
    try {
      makeSessionPasswords({ sessionSecretFile: path });
      return '';
    } catch (error) {
      return (error as Error).message;
    }
  };
  withSecret('short', (path) => {
    assert.is(
      problem(path),
      `session.secretFile: ${path}: too short (expected 16 characters or more)`,
    );
    assert.match(problem(`${path}.gone`), /^session\.secretFile: .*\.gone: ENOENT/);
  });
});

test('with a secret, nobody resumes a session by its id, and its own client does', async () => {
  const home = makeTempDir('session-secret');
  const path = join(home.path, 'secret');
  writeFileSync(path, 'correct horse battery', { mode: 0o600 });
  const server = await startBundled({ config: { 'session.secretFile': path } });
  const { connectString } = server;
  const client = createClient({ connectString });
  try {
    await client.connect();
    const { sessionId: id, sessionPassword: password } = client;
    const thief = createClient({ connectString, session: { id, password: sessionPassword(id) } });
    const error = await thief.connect().then(
      () => undefined,
      (caught: Error) => caught,
    );
    assert.is((error as { code?: string } | undefined)?.code, 'SESSIONEXPIRED');
    assert.is(client.state, 'connected');
    server.control.cut(id);
    await waitFor('the reconnect', () =>
      client.sync('/').then(
        () => true,
        () => false,
      ),
    );
    assert.is(client.sessionId, id);
    const heir = createClient({ connectString, session: { id, password } });
    await heir.connect();
    assert.is(heir.sessionId, id);
    await heir.close();
  } finally {
    await client.close();
    await server.close();
    home.remove();
  }
});

test.run();
