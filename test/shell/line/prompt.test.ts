import { test } from 'uvu';
import * as assert from 'uvu/assert';
import type { ClientState } from '../../../src/client/base/client.js';
import { textWidth } from '../../../src/commands/terminal/text-width.js';
import {
  type Connection,
  describeChange,
  promptSpans,
  serversOf,
} from '../../../src/shell/line/prompt.js';

const CONNECTED: Connection = { server: 'zk1:2181', state: 'connected', chroot: '', cwd: '/' };

function prompt(connection: Partial<Connection>, columns = 80): string {
  return promptSpans({ ...CONNECTED, ...connection }, columns)
    .map(({ text }) => text)
    .join('');
}

test('the prompt shows server, state, chroot, and path', () => {
  assert.is(prompt({}), 'zk1:2181(connected) /> ');
  assert.is(prompt({ cwd: '/a/b' }), 'zk1:2181(connected) /a/b> ');
  assert.is(prompt({ chroot: '/app', cwd: '/a' }), 'zk1:2181(connected) /app:/a> ');
  assert.is(prompt({ state: 'connected-readonly' }), 'zk1:2181(read-only) /> ');
  assert.is(prompt({ state: 'disconnected' }), 'zk1:2181(disconnected) /> ');
  assert.is(prompt({ state: 'expired' }), 'zk1:2181(expired) /> ');
});

test('a role replaces only the word "connected"', () => {
  assert.is(prompt({ access: 'rw' }), 'zk1:2181(connected rw) /> ');
  assert.is(prompt({ role: 'follower', access: 'rw' }), 'zk1:2181(follower rw) /> ');
  assert.is(prompt({ role: 'leader', access: 'ro' }), 'zk1:2181(leader ro) /> ');
  assert.is(prompt({ role: 'leader', state: 'disconnected' }), 'zk1:2181(disconnected) /> ');
});

test('a long prompt leaves half of the row', () => {
  const long = { server: 'a-very-long-name.of.a.server:2181', cwd: '/deep/er/and/deeper/still' };
  assert.is(prompt(long, 60), 'a-very-…(connected) …r/still> ');
  assert.ok(textWidth(prompt(long, 60)) <= 32);
});

const CHANGES: readonly (readonly [ClientState, ClientState, string | undefined])[] = [
  ['connecting', 'connected', undefined],
  ['connected', 'connected', undefined],
  ['connected', 'disconnected', 'disconnected from zk1:2181: it went away; reconnecting'],
  ['disconnected', 'connected', 'reconnected to zk1:2181; session continues'],
  ['disconnected', 'connected-readonly', 'reconnected to zk1:2181 (read-only); session continues'],
  [
    'disconnected',
    'expired',
    'session expired: ephemerals and watches are deleted; run connect to open a new session',
  ],
  ['connecting', 'auth-failed', 'authentication failed: it went away'],
  ['connected', 'closed', undefined],
];

test('unexpected changes of the session are reported', () => {
  for (const [from, to, expected] of CHANGES) {
    const change = describeChange(
      { ...CONNECTED, state: from },
      { ...CONNECTED, state: to },
      'it went away',
    );
    assert.is(change?.text, expected, `${from} to ${to}`);
  }
});

test('the prompt shows the servers of a connect string without its chroot, and TLS', () => {
  assert.is(serversOf('zk1:2181,zk2/app/x'), 'zk1:2181,zk2');
  assert.is(serversOf('zks://zk1/app'), 'zks://zk1');
  assert.is(serversOf('[::1]:2181'), '[::1]:2181');
});

test.run();
