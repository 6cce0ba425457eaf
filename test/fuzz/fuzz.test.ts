import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { readCorpus } from './corpus.js';
import { Coverage, countBlocks } from './coverage.js';
import { Fuzzer } from './fuzzer.js';
import { instrument } from './instrument.js';
import { stressInput } from './stress.js';
import { parseOrRefuse, type Stress, type Target } from './target.js';

countBlocks();
const { TARGETS } = await import('./targets/all.js');

/** For each target; `npm run fuzz` goes on for as long as it is told. */
const INPUTS = 200;
/** For those that step whole servers. */
const FEW_INPUTS = 40;
const SLOW: ReadonlySet<string> = new Set(['client-frames', 'leader-link', 'learner-link']);

for (const target of TARGETS) {
  test(`${target.name}: the corpus and what is near it break no promise`, () => {
    const fuzzer = new Fuzzer(target, 1, null);
    fuzzer.isStressing = false;
    fuzzer.begin(readCorpus(target));
    fuzzer.step(SLOW.has(target.name) ? FEW_INPUTS : INPUTS);
    assert.equal(
      fuzzer.findings.map(({ input, problem }) => `${input.toString('hex')}: ${problem}`),
      [],
    );
  });
}

function targetOf(run: Target['run']): Target {
  return { name: 'own', seeds: () => [Buffer.from('seed')], run };
}

test('what is thrown and promised nowhere is found, with its input', () => {
  const target = targetOf((input) => {
    parseOrRefuse(() => {
      if (input.includes(0)) throw new TypeError('a zero');
    }, RangeError);
  });
  const fuzzer = new Fuzzer(target, 1, null);
  fuzzer.begin(target.seeds());
  fuzzer.step(800);
  assert.is(fuzzer.findings.length, 1);
  assert.match(fuzzer.findings[0]?.problem ?? '', /a zero/);
  assert.ok(fuzzer.findings[0]?.input.includes(0));
});

/** A stranger whose every 256 bytes cost what `repeat` does. */
function strangerOf(repeat: (number: number) => void): Target {
  const stress = (_input: Buffer, bytes: number, way: number): Stress | null => {
    if (way > 0) return null;
    const run = (): void => {
      for (let i = 0; i < bytes / 256; i++) repeat(i);
    };
    return { bytes, isStored: false, run, leave: () => undefined };
  };
  return { ...targetOf(() => undefined), stress };
}

function problemsOf(target: Target): string[] {
  return stressInput(target, Buffer.from('input'), () => undefined);
}

test('what is kept of a stranger is found', () => {
  const kept: Buffer[] = [];
  const [problem = ''] = problemsOf(strangerOf(() => kept.push(Buffer.alloc(8192))));
  assert.match(problem, /^growth: /);
  assert.ok(kept.length > 0);
});

test('what takes ever longer is found, and what takes as long each time is not', () => {
  let sum = 0;
  const quadratic = strangerOf((number) => {
    for (let i = 0; i < number * 16; i++) sum += i;
  });
  assert.match(problemsOf(quadratic).join(), /^slowdown: /);
  const linear = strangerOf(() => {
    for (let i = 0; i < 4000; i++) sum += i;
  });
  assert.equal(problemsOf(linear), []);
  assert.ok(sum > 0);
});

test('compiled code notes each block that it enters', () => {
  const source = ['if (a(1) === "(")', '    b();', 'switch (c) {', '    case 1:', 'f(() => {'];
  let block = 0;
  assert.equal(instrument(source.join('\n'), () => block++).split('\n'), [
    'if ((a(1) === "(") && __fuzzBlock(0))',
    '    b();',
    'switch (c) {',
    '    case 1: __fuzzBlock(1);',
    'f(() => { __fuzzBlock(2);',
  ]);
});

test('an input that reaches a new block is kept, and the same seed keeps the same', () => {
  const config = TARGETS.find(({ name }) => name === 'connect-strings') as Target;
  const kept = [7, 7, 8].map((seed) => {
    const fuzzer = new Fuzzer(config, seed, new Coverage());
    fuzzer.begin([Buffer.from('a')]);
    fuzzer.step(2000);
    return fuzzer.corpus.map((input) => input.toString('hex'));
  });
  assert.ok((kept[0]?.length ?? 0) > 1, 'nothing was learned');
  assert.equal(kept[0], kept[1]);
  assert.not.equal(kept[0], kept[2]);
});

test.run();
