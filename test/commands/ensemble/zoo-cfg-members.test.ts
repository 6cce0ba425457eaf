import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { formatServerAddress } from '../../../src/client/base/connect-string.js';
import {
  dynamicConfigFile,
  membersOfConfig,
} from '../../../src/commands/ensemble/zoo-cfg-members.js';

const namesOf = (text: string) => membersOfConfig(text).map(formatServerAddress);

test('members have the client port of their line, or that of the file', () => {
  const text = [
    '# an ensemble',
    'clientPort=2191',
    'server.1=zk1:2888:3888',
    'server.2=zk2:2888:3888:observer;2182',
    'server.3=zk3:2888:3888:participant;0.0.0.0:2183',
    'server.4=zk4:2888:3888;10.0.0.4:2184',
    'server.5=[::1]:2888:3888|zk5:2889:3889;[::]:2185',
    '#server.6=zk6:2888:3888',
  ].join('\n');
  assert.equal(namesOf(text), ['zk1:2191', 'zk2:2182', 'zk3:2183', '10.0.0.4:2184', '[::1]:2185']);
});

test('the file is read as Java reads properties', () => {
  const text = [
    '! a comment',
    'clientPort 2191',
    'server.1 = zk1:2888:3888',
    'server.2:zk2:2888:3888;2182',
    'server.3 zk3:2888:3888;2183',
    'server.4=zk4:2888:\\',
    '    3888;2184',
    'server\\u002e5=zk5\\:2888:3888;2185',
    'server.6=zk6:2888:3888;2186\\',
    '',
    'server.7=zk7:2888:3888;2187',
    'server.1=zk9:2888:3888',
  ].join('\n');
  const expected = ['zk9:2191', ...[2, 3, 4, 5, 6, 7].map((at) => `zk${at}:218${at}`)];
  assert.equal(namesOf(text), expected);
  assert.is(dynamicConfigFile('dynamicConfigFile: a.cfg'), 'a.cfg');
});

test('a file without members is a standalone server on this machine', () => {
  assert.equal(namesOf('clientPort = 2191\ndataDir=/d\n'), ['127.0.0.1:2191']);
  assert.equal(namesOf('clientPortAddress=10.0.0.9\n'), ['10.0.0.9:2181']);
  assert.equal(namesOf('clientPortAddress=0.0.0.0\nclientPort=1\n'), ['127.0.0.1:1']);
});

test('without a clientPort the secureClientPort is asked, over TLS', () => {
  assert.equal(membersOfConfig('secureClientPort=2281\n'), [
    { host: '127.0.0.1', port: 2281, isSecure: true },
  ]);
  assert.equal(membersOfConfig('secureClientPort=99\nserver.1=a:1:2\nserver.2=b:1:2;7\n'), [
    { host: 'a', port: 99, isSecure: true },
    { host: 'b', port: 7 },
  ]);
  assert.equal(membersOfConfig('secureClientPort=99\nclientPort=98\n'), [
    { host: '127.0.0.1', port: 98 },
  ]);
});

test('a bad line is named', () => {
  assert.throws(() => namesOf('server.1=zk1\n'), /server\.1: invalid address/);
  assert.throws(() => namesOf('server.1=a:1:2;x\n'), /server\.1: invalid port: "x"/);
  assert.throws(() => namesOf('clientPort=70000\n'), /clientPort: invalid port: "70000"/);
});

test('the dynamic file is found', () => {
  assert.is(dynamicConfigFile('dynamicConfigFile=/etc/zoo.dyn\n'), '/etc/zoo.dyn');
  assert.is(dynamicConfigFile('clientPort=1\n'), undefined);
});

test.run();
