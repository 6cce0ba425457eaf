import { parseConnectString } from '../../../src/client/base/connect-string.js';
import { jsonSyntax } from '../../../src/commands/trees/json-dump.js';
import { ndjsonSyntax } from '../../../src/commands/trees/ndjson-dump.js';
import { yamlSyntax } from '../../../src/commands/trees/yaml-dump.js';
import { endFields, headFields, recordFields } from '../../../src/commands/trees/znode-record.js';
import { parseLine } from '../../../src/commands/zksh/language/parse-line.js';
import { WORDS } from '../../../src/fourlw/index.js';
import { parseConfig } from '../../../src/server/config/parse-config.js';
import {
  formatQuorumConfig,
  parseQuorumConfig,
} from '../../../src/server/quorum/membership/quorum-config.js';
import { expectSame, parseOrRefuse, type Target } from '../target.js';

const ZOO_CFG = [
  'dataDir=/var/lib/zookeeper\nclientPort=2181\ntickTime=2000\ninitLimit=10\nsyncLimit=5\n',
  'server.1=a:2888:3888\nserver.2=b:2888:3888:observer;2181\ngroup.1=1:2\nweight.1=1\n',
  '# a comment\n! another\nauthProvider.1=x\nsecureClientPort : 2281\n4lw.commands.whitelist *\n',
  'dataDir=a\\\n  b\\u0041\nautopurge.purgeInterval=1\nmetricsProvider.httpPort=7000\n',
];

export const zooCfg: Target = {
  name: 'zoo-cfg',
  seeds: () => ZOO_CFG.map((text) => Buffer.from(text)),
  words: ['server.', 'group.', '=', '\\u00', '\\', ':', ';', '|', 'dataDir', '[::1]', 'true'],
  run: (input) => {
    parseConfig(input.toString(), { fileName: 'zoo.cfg' });
  },
};

export const dynamicFile: Target = {
  name: 'dynamic-file',
  seeds: () => [
    Buffer.from('server.1=127.0.0.1:2888:3888:participant;127.0.0.1:2181\nversion=100000000'),
    Buffer.from('server.1=[::1]:1:2|b:3:4:observer;5\nserver.2=c:1:2\nversion=0'),
    Buffer.from(ZOO_CFG[1] ?? ''),
  ],
  words: ['server.', 'version=', 'group.1=1:2', 'weight.1=0', ':observer', ';', '|', '[::1]'],
  run: (input) => {
    const config = parseQuorumConfig(input.toString());
    if (typeof config === 'string') return;
    const text = formatQuorumConfig(config);
    const again = parseQuorumConfig(text);
    // The addresses of a server are a set, in any order.
    const found = typeof again === 'string' ? again : formatQuorumConfig(again);
    expectSame(charactersOf(found), charactersOf(text), 'the configuration, parsed again');
  },
};

function charactersOf(text: string): string {
  return [...text].sort().join('');
}

const ANSWERS = [
  'Zookeeper version: 3.8.0--1, built on 2022\nClients:\n /127.0.0.1:1[1](queued=0,recved=1,sent=0)\n\nLatency min/avg/max: 0/0.0/0\nReceived: 1\nZxid: 0x1\nMode: leader\nNode count: 5\n',
  'zk_version\t3.8.0\nzk_avg_latency\t0.0\nzk_quorum_size\t3\n',
  'clientPort=2181\ndataDir=/a\nmembership: \nserver.1=a:1:2\n',
  'SessionTracker dump:\nSession Sets (1)/(1):\n1 expire at Thu Jan 01 00:00:00 UTC 1970:\n\t0x1\n',
  '1 connections watching 1 paths\nTotal watches:1\n/a\n\t0x1\n',
  'datadir_size: 1\nlogdir_size: 2\n',
];

export const fourLetter: Target = {
  name: 'four-letter',
  seeds: () => ANSWERS.map((text) => Buffer.from(text)),
  words: ['zk_', '0x', '\t', '\n', ':', '(', '[', '[1](queued=', ' expire at '],
  run: (input) => {
    const text = input.toString();
    for (const word of Object.values(WORDS)) word.parse(text);
  },
};

const RECORD = {
  path: '/a',
  data: Buffer.from('data'),
  acl: [{ perms: 31, id: { scheme: 'world', id: 'anyone' } }],
  mode: 'persistent',
  version: 1,
  mtime: 1,
} as const;

export const dumps: Target = {
  name: 'dumps',
  seeds: () => [
    Buffer.from(JSON.stringify(recordFields(RECORD))),
    Buffer.from(JSON.stringify(recordFields({ ...RECORD, data: Buffer.from([255]) }))),
    Buffer.from(
      JSON.stringify(headFields({ root: '/', server: 'a:1', hasAcls: true }, '2026-01-01')),
    ),
    Buffer.from(JSON.stringify(endFields({ znodes: 1, ephemeralsLeftOut: 0, unread: 0 }))),
    Buffer.from('---\npath: /a\ndata: |\n  text\nmode: ttl\nttl: 5\nversion: 0\nmtime: 0\n'),
    Buffer.from('---\nzkshDump: 1\nroot: /\nserver: a:1\nhasAcls: false\n'),
  ],
  words: [
    '"path":',
    '"encoding":"base64"',
    'null',
    '---\n',
    '&a ',
    '*a',
    '!!binary ',
    '<<: ',
    '|\n',
  ],
  maxLength: 1024,
  run: (input) => {
    const text = input.toString();
    for (const syntax of [ndjsonSyntax, jsonSyntax, yamlSyntax]) {
      parseOrRefuse(() => syntax.parse(text), RangeError);
      parseOrRefuse(() => syntax.parseEnd(text), RangeError);
    }
  },
};

export const connectStrings: Target = {
  name: 'connect-strings',
  seeds: () =>
    ['a:1,b:2/c', 'zks://[::1]:2281', '127.0.0.1', 'a,b,c/', 'srv+x'].map((text) =>
      Buffer.from(text),
    ),
  words: ['zks://', '[::1]', ':', ',', '/', '%25eth0', '[fe80::1%'],
  maxLength: 512,
  run: (input) => {
    parseOrRefuse(() => parseConnectString(input.toString()), RangeError);
  },
};

export const shellLines: Target = {
  name: 'shell-lines',
  seeds: () =>
    [
      'get /a',
      'set /a "b c" -v 1',
      "ls '/a b' | grep x; stat $x",
      'a \\\n b # c',
      'create /a "\\u{41}',
    ].map((text) => Buffer.from(text)),
  words: ['"', "'", '\\', '|', ';', '$', '#', '*', '{a,b}', '\\x', '\\u{'],
  maxLength: 1024,
  run: (input) => {
    parseLine(input.toString());
  },
};
