import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { askWord } from '../../../../src/client/base/four-letter.js';
import type { AskWord } from '../../../../src/commands/ensemble/ask.js';
import { type RunOptions, runVerb } from '../../../../src/commands/ensemble/verdict/run.js';
import { freePort } from '../../../support/machine/free-port.js';
import {
  type Behavior,
  closes,
  drips,
  floods,
  garbage,
  notServing,
  refuses,
  resets,
  servesFrom,
  silent,
  startFake,
} from '../../../support/peers/fake-member.js';
import { srvrText, verbNamed } from '../../zkops/members-of.js';

const OPTIONS: RunOptions = {
  ask: askWord,
  timeoutMs: 2000,
  deadlineMs: 10_000,
  confirmMs: 10,
  now: () => new Date(0),
};

test('each way to fail is a row of its own, and none holds up another', async () => {
  const behaviors: readonly (readonly [state: string, behave: Behavior])[] = [
    ['serving', servesFrom('standalone')],
    ['timeout', silent],
    ['timeout', drips],
    ['unreadable', garbage],
    ['empty', closes],
    ['reset', resets],
    ['not-whitelisted', refuses],
    ['not-serving', notServing],
  ];
  const fakes = await Promise.all(behaviors.map(([, behave]) => startFake(behave)));
  try {
    const servers = [
      ...fakes.map(({ port }) => ({ host: '127.0.0.1', port })),
      { host: '127.0.0.1', port: await freePort() },
      { host: 'no-such-host.invalid', port: 2181 },
    ];
    const { members } = await runVerb(verbNamed('srvr'), servers, OPTIONS);
    assert.equal(
      members.map(({ state }) => state),
      [...behaviors.map(([state]) => state), 'refused', 'dns'],
    );
    for (const { state, fault } of members) assert.is(fault === undefined, state === 'serving');
  } finally {
    await Promise.all(fakes.map((fake) => fake.close()));
  }
});

test('a member that never stops sending is cut off', async () => {
  const fake = await startFake(floods);
  try {
    const { members } = await runVerb(
      verbNamed('ruok'),
      [{ host: '127.0.0.1', port: fake.port }],
      OPTIONS,
    );
    // Whichever limit a machine reaches first: the time or the bytes.
    assert.ok(['timeout', 'too-large'].includes(members[0]?.state ?? ''), members[0]?.state);
  } finally {
    await fake.close();
  }
});

test('members that flood, drip and are silent do not cost the others their rows', async () => {
  const good = Array.from({ length: 20 }, () => servesFrom('f1'));
  const fakes = await Promise.all([floods, drips, silent, ...good].map(startFake));
  try {
    const servers = fakes.map(({ port }) => ({ host: '127.0.0.1', port }));
    const { members } = await runVerb(verbNamed('mntr'), servers, OPTIONS);
    assert.is(members.length, 23);
    assert.is(members.filter(({ state }) => state === 'serving').length, 20);
  } finally {
    await Promise.all(fakes.map((fake) => fake.close()));
  }
});

test('the deadline ends a run that the time limits of its members would not', async () => {
  const fakes = await Promise.all([silent, servesFrom('leader')].map(startFake));
  try {
    const servers = fakes.map(({ port }) => ({ host: '127.0.0.1', port }));
    const { members } = await runVerb(verbNamed('srvr'), servers, {
      ...OPTIONS,
      timeoutMs: 3_600_000,
      deadlineMs: 2000,
    });
    assert.equal(
      members.map(({ state }) => state),
      ['timeout', 'serving'],
    );
  } finally {
    await Promise.all(fakes.map((fake) => fake.close()));
  }
});

test('critical is reported only when a second look finds it again', async () => {
  const asked: string[] = [];
  const good = (text: string): Promise<Buffer> => Promise.resolve(Buffer.from(text));
  const answer =
    (first: string, later: string): AskWord =>
    (_, word) => {
      asked.push(String(word));
      const looks = asked.filter((earlier) => earlier === word).length;
      const text = looks === 1 ? first : later;
      // A server that does not serve says so to each of these words.
      const isServing = text.includes('Mode:');
      if (word === 'mntr' && isServing) return good('zk_server_state\tstandalone\n');
      if (word === 'conf' && isServing) return good('clientPort=1\n');
      return good(text);
    };
  const looks = (): number => asked.filter((word) => word === 'srvr').length;
  const health = verbNamed('health');
  const servers = [{ host: '127.0.0.1', port: 1 }];
  const notServingText = 'This ZooKeeper instance is not currently serving requests\n';

  const electing = await runVerb(health, servers, {
    ...OPTIONS,
    ask: answer(notServingText, srvrText('standalone')),
  });
  assert.is(electing.verdict.level, 'healthy');
  assert.is(looks(), 2);

  asked.length = 0;
  const lost = await runVerb(health, servers, {
    ...OPTIONS,
    ask: answer(notServingText, notServingText),
  });
  assert.is(lost.verdict.level, 'critical');
  assert.is(looks(), 2);

  asked.length = 0;
  await runVerb(health, servers, { ...OPTIONS, ask: answer(srvrText('standalone'), '') });
  assert.is(looks(), 1);
});

test('stmk sends the word and its eight bytes', async () => {
  const asked: (string | Buffer)[] = [];
  const ask: AskWord = (_, word) => {
    asked.push(word);
    return Promise.resolve(Buffer.from('306'));
  };
  const argument = Buffer.from('0000000000000132', 'hex');
  const { members } = await runVerb(verbNamed('stmk'), [{ host: 'a', port: 1 }], {
    ...OPTIONS,
    ask,
    argument,
  });
  assert.is(members[0]?.state, 'answered');
  assert.equal(asked, [Buffer.concat([Buffer.from('stmk'), argument])]);
});

test('a server with many watches is spared wchc and wchp, but for --force', async () => {
  const asked: (string | Buffer)[] = [];
  const ask: AskWord = (_, word) => {
    asked.push(word);
    const text = word === 'wchs' ? '9 connections watching 9 paths\nTotal watches:100001\n' : '\n';
    return Promise.resolve(Buffer.from(text));
  };
  const servers = [{ host: 'a', port: 1 }];
  const spared = await runVerb(verbNamed('wchc'), servers, { ...OPTIONS, ask });
  assert.is(spared.members[0]?.state, 'too-costly');
  assert.is(spared.verdict.level, 'unknown');
  assert.equal(asked, ['wchs']);
  const forced = await runVerb(verbNamed('wchc'), servers, { ...OPTIONS, ask, isForced: true });
  assert.is(forced.members[0]?.state, 'answered');
  assert.equal(asked, ['wchs', 'wchc']);
});

test('an answer of nothing is good for hash alone, of a server that answers another word', async () => {
  const empty: AskWord = () => Promise.reject(Object.assign(new Error(), { reason: 'empty' }));
  const tells: AskWord = (address, word, options) =>
    word === 'srvr'
      ? Promise.resolve(Buffer.from(srvrText('leader')))
      : empty(address, word, options);
  const stateOf = async (name: string, ask: AskWord) => {
    const servers = [{ host: 'a', port: 1 }];
    return (await runVerb(verbNamed(name), servers, { ...OPTIONS, ask })).members[0]?.state;
  };
  assert.is(await stateOf('hash', tells), 'answered');
  assert.is(await stateOf('hash', empty), 'empty');
  assert.is(await stateOf('dirs', tells), 'empty');
});

test.run();
