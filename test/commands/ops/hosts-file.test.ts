import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatServerAddress } from '../../../src/client/connect-string.js';
import { parseHostsFile } from '../../../src/commands/ops/hosts-file.js';

const namesOf = (text: string) => parseHostsFile(text).servers.map(formatServerAddress);

test('a line is a server; comments, blank lines, CRLF and a byte order mark are fine', () => {
  const text =
    '\ufeff# the ensemble\r\nzk1\r\n\r\n  zk2:2182  # second\r\n[::1]\r\n[fe80::1]:2183\n';
  const { servers, faults } = parseHostsFile(text);
  assert.equal(faults, []);
  assert.equal(servers.map(formatServerAddress), [
    'zk1:2181',
    'zk2:2182',
    '[::1]:2181',
    '[fe80::1]:2183',
  ]);
});

test('a line with zks:// is reached over TLS, on port 2281 where none is given', () => {
  const { servers, faults } = parseHostsFile('zks://zk1\nzks://[::1]:99\nzk2\nzks://::1\n');
  assert.equal(servers, [
    { host: 'zk1', port: 2281, isSecure: true },
    { host: '::1', port: 99, isSecure: true },
    { host: 'zk2', port: 2181 },
  ]);
  assert.match(faults[0]?.message ?? '', 'an IPv6 address stands in brackets');
});

test('an empty file and one of comments name no server', () => {
  assert.equal(namesOf(''), []);
  assert.equal(namesOf('# zk1\n   \n'), []);
});

test('every bad line is named with its number, the good ones are kept', () => {
  const text = ['zk1', 'zk2:0', 'zk3:99999', 'zk4:abc', '::1', 'a b', 'zk5:', '[::1', 'zk6'];
  const { servers, faults } = parseHostsFile(text.join('\n'));
  assert.equal(servers.map(formatServerAddress), ['zk1:2181', 'zk6:2181']);
  assert.equal(
    faults.map(({ line, text: entry }) => [line, entry]),
    [
      [2, 'zk2:0'],
      [3, 'zk3:99999'],
      [4, 'zk4:abc'],
      [5, '::1'],
      [6, 'a b'],
      [7, 'zk5:'],
      [8, '[::1'],
    ],
  );
  assert.ok(faults[0]?.message.includes('not between 1 and 65535'));
  assert.ok(faults[3]?.message.includes('in brackets'));
});

test('a server listed twice is a fault, with both lines', () => {
  const { faults } = parseHostsFile('zk1\nZK1:2181\nzk1:2182\n');
  assert.equal(
    faults.map(({ line, message }) => [line, message]),
    [[2, 'zk1:2181 is listed twice, first on line 1']],
  );
});

test.run();
