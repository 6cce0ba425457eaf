import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatServerAddress } from '../../../src/client/base/connect-string.js';
import { parseHostsFile } from '../../../src/commands/ensemble/hosts-file.js';

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
  assert.match(faults[0]?.message ?? '', 'expected an IPv6 address in brackets');
});

test('several hosts in a line, and URLs of other schemes, are named for what they are', () => {
  const { servers, faults } = parseHostsFile(
    'zk1,zk2\nzk1:2181,zk2:2181\nhttp://zk1:8080\ntcp://zk1\n',
  );
  assert.equal(servers, []);
  assert.equal(
    faults.map(({ message }) => /\(expected (.*)\)$/.exec(message)?.[1]),
    [
      'one host on each line',
      'one host on each line',
      'host[:port] without http://; zks:// selects TLS',
      'host[:port] without tcp://; zks:// selects TLS',
    ],
  );
});

test('an IPv6 address is one place, however it is written', () => {
  const { servers, faults } = parseHostsFile(
    '[::1]:2181\n[0:0:0:0:0:0:0:1]\n[2001:DB8::A]\n[fe80::1%eth0]:1\n',
  );
  assert.equal(servers.map(formatServerAddress), [
    '[::1]:2181',
    '[2001:DB8::A]:2181',
    '[fe80::1%eth0]:1',
  ]);
  assert.equal(
    faults.map(({ line, message }) => [line, message]),
    [[2, '[::1]:2181: listed twice, first on line 1']],
  );
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
  assert.ok(faults[0]?.message.includes('expected 1 to 65535'));
  assert.ok(faults[3]?.message.includes('in brackets'));
});

test('a server listed twice is a fault, with both lines', () => {
  const { faults } = parseHostsFile('zk1\nZK1:2181\nzk1:2182\n');
  assert.equal(
    faults.map(({ line, message }) => [line, message]),
    [[2, 'zk1:2181: listed twice, first on line 1']],
  );
});

test('words after the address name the member, its AdminServer, TLS and its lack of a vote', () => {
  const { servers, faults } = parseHostsFile(
    'zk1 name=one admin=8080\r\nzk2:2182  observer\n[::1] tls # six\nzks://zk4 tls name=four\n',
  );
  assert.equal(faults, []);
  assert.equal(servers, [
    { host: 'zk1', port: 2181, name: 'one', adminPort: 8080 },
    { host: 'zk2', port: 2182, isObserver: true },
    { host: '::1', port: 2281, isSecure: true },
    { host: 'zk4', port: 2281, isSecure: true, name: 'four' },
  ]);
});

test('a word that nobody knows, a bad admin port and a name given twice are faults', () => {
  const { faults } = parseHostsFile('zk1 leader\nzk2 admin=0\nzk3 name=a\nzk4 name=a\nzk5 name=\n');
  assert.equal(
    faults.map(({ line, message }) => [line, message]),
    [
      [
        1,
        'unknown option: "leader" (expected observer, tls, admin=PORT, or name=NAME after host[:port])',
      ],
      [2, 'invalid port: 0 (expected 1 to 65535)'],
      [4, 'a: listed twice, first on line 3'],
      [
        5,
        'unknown option: "name=" (expected observer, tls, admin=PORT, or name=NAME after host[:port])',
      ],
    ],
  );
});

test.run();
