import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { membersOf } from '../../../src/commands/znodes/members-file.js';

const SERVERS = [1, 2, 3].map((sid) => `server.${sid}=zk${sid}:2888:3888;2181`);
const WRITTEN = [1, 2, 3].map((sid) => `server.${sid}=zk${sid}:2888:3888:participant;0.0.0.0:2181`);

function faultOf(...lines: readonly string[]): string {
  try {
    return membersOf(lines.join('\n'));
  } catch (error) {
    assert.instance(error, RangeError);
    return error instanceof Error ? error.message : String(error);
  }
}

test('the members are as Apache writes them, without other lines', () => {
  const file = ['# three', 'tickTime=2000', ...SERVERS, 'version=100000000'];
  for (const end of ['\n', '\r\n']) {
    assert.is(membersOf(`\ufeff${file.join(end)}`), WRITTEN.join('\n'));
  }
  const spaced = 'server.1 = zk1:2888:3888:OBSERVER\nserver.2: zk2:2888:3888;;2281';
  assert.is(
    membersOf(spaced),
    'server.1=zk1:2888:3888:observer\nserver.2=zk2:2888:3888:participant;;0.0.0.0:2281',
  );
});

test('groups and weights are kept', () => {
  const groups = ['group.1=1', 'group.2=2:3'];
  assert.is(
    membersOf([...SERVERS, 'weight.3=0', ...groups].join('\n')),
    [...WRITTEN, ...groups, 'weight.1=1', 'weight.2=1', 'weight.3=0'].join('\n'),
  );
  const text = membersOf([...SERVERS, ...groups].join('\n'));
  assert.is(membersOf(text), text);
});

test('lines that every server refuses are refused before they are sent', () => {
  for (const [lines, problem] of [
    [['tickTime=2000'], 'the file has no server.N= line'],
    [['server.1=zk1'], /^line 1: invalid server: "zk1"/],
    [['', 'server.x=zk1:2888:3888'], /^line 2: invalid id: "x"/],
    [[...SERVERS, SERVERS[0]], 'line 4: duplicate server 1'],
    [['server.1=zk1:2888:3888:observer'], /^no participant/],
    [[...SERVERS, 'group.1=1:2'], 'server 3 has no group'],
    [[...SERVERS, 'group.1=1:2:3:4'], /unknown server 4/],
    [[...SERVERS, 'group.1=1:2', 'group.2=2:3'], 'server 2 is in group 1 and in group 2'],
    [[...SERVERS, 'group.1=1,2,3'], /^line 4: invalid group/],
    [[...SERVERS, 'group.1=1:2:3', 'weight.1=-1'], /^line 5: invalid weight/],
    [[...SERVERS, 'weight.1=2'], /^weights without groups/],
    [[...SERVERS, 'group.1=1:2:3', 'weight.1=0', 'weight.2=0', 'weight.3=0'], /^no weight above 0/],
  ] as [string[], string | RegExp][]) {
    const found = faultOf(...lines);
    if (typeof problem === 'string') assert.is(found, problem);
    else assert.match(found, problem);
  }
});

test.run();
