import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { Random } from '../support/random.js';
import { readCorpus } from './corpus.js';
import { Coverage, countBlocks } from './coverage.js';
import { Fuzzer } from './fuzzer.js';
import { instrument } from './instrument.js';
import { framesOf, partsOf, replacePart, withLength } from './lengths.js';
import { piecesOf, type Repeat, repeatsOf } from './repeat.js';
import { stress } from './stress.js';
import { parseOrRefuse, type Stranger, type Target } from './target.js';
import { textsOf } from './varied-frames.js';

countBlocks();
const { TARGETS } = await import('./targets/all.js');

/** For each target. `npm run prove -- fuzz` takes the number as an option. */
const INPUTS = 200;
/** For those that step whole servers. */
const FEW_INPUTS = 40;
const SLOW: ReadonlySet<string> = new Set(['client-frames', 'leader-link', 'learner-link']);

for (const target of TARGETS) {
  test(`${target.name}: the corpus and similar inputs break no promise`, async () => {
    const fuzzer = new Fuzzer(target, 1, null);
    fuzzer.isStressing = false;
    await fuzzer.begin(readCorpus(target));
    await fuzzer.step(SLOW.has(target.name) ? FEW_INPUTS : INPUTS);
    assert.equal(
      fuzzer.findings.map(({ input, problem }) => `${input.toString('hex')}: ${problem}`),
      [],
    );
  });
}

function targetOf(run: Target['run']): Target {
  return { name: 'own', seeds: () => [Buffer.from('seed')], run };
}

test('an unexpected exception is found, with its input', async () => {
  const target = targetOf(async (input) => {
    await null;
    parseOrRefuse(() => {
      if (input.includes(0)) throw new TypeError('a zero');
    }, RangeError);
  });
  const fuzzer = new Fuzzer(target, 1, null);
  await fuzzer.begin(target.seeds());
  for (let i = 0; i < 4; i++) await fuzzer.step();
  assert.is(fuzzer.findings.length, 1);
  assert.match(fuzzer.findings[0]?.problem ?? '', /a zero/);
  assert.ok(fuzzer.findings[0]?.input.includes(0));
});

/** A stranger that calls `once` for every 64 bytes. */
function strangerOf(once: (number: number) => void): Stranger {
  const costly = {
    bytes: 0,
    isHeld: false,
    isStored: false,
    push: (bytes: Buffer) => {
      const before = costly.bytes;
      costly.bytes += bytes.length;
      for (let at = before; at < costly.bytes; at += 64) once(at / 64);
    },
    leave: () => undefined,
  };
  return costly;
}

function problemOf(once: (number: number) => void): string | null {
  const unit = Buffer.alloc(64, 'a');
  const repeat = { lead: Buffer.alloc(0), unit, varied: null, kind: 'as it is' };
  return stress(() => strangerOf(once), repeat);
}

test('memory kept for a stranger is found', () => {
  const kept: Buffer[] = [];
  assert.match(problemOf(() => kept.push(Buffer.alloc(2048))) ?? '', /^growth: /);
  assert.ok(kept.length > 0);
});

test('growing cost per repeat is found, and constant cost is not', () => {
  let sum = 0;
  const quadratic = (number: number): void => {
    for (let i = 0; i < number * 4; i++) sum++;
  };
  assert.match(problemOf(quadratic) ?? '', /^slowdown: /);
  const linear = (): void => {
    for (let i = 0; i < 10_000; i++) sum++;
  };
  assert.is(problemOf(linear), '');
  assert.ok(sum > 0);
});

test('each frame of an input is repeated in turn: unchanged, varied, and truncated', () => {
  const random = new Random(1);
  const frame = withLength(Buffer.concat([Buffer.alloc(8), withLength(Buffer.from('text'))]));
  const input = Buffer.concat([frame, frame]);
  const found = repeatsOf(input, [], random);
  const hasOne = (isIt: (repeat: Repeat) => boolean): boolean => found.some(isIt);
  assert.ok(hasOne(({ lead, unit }) => lead.length === 0 && unit.equals(frame)));
  assert.ok(hasOne(({ lead, unit }) => lead.equals(frame) && unit.equals(Buffer.alloc(4))));
  const varied = found.find((repeat) => repeat.varied) as Repeat;
  const [one] = piecesOf(varied, 1000) as [Buffer];
  assert.is(framesOf(one).length, Math.ceil(1000 / frame.length));
  assert.is(
    new Set(textsOf(one).map(({ at, length }) => one.toString('utf8', at, at + length))).size,
    framesOf(one).length,
  );
});

test('a part is replaced by another, and the lengths around it stay valid', () => {
  const inner = withLength(Buffer.from('abc'));
  const outer = Buffer.concat([withLength(inner), withLength(Buffer.from('z'))]);
  const parts = partsOf(outer);
  const part = parts.find(({ at }) => at === 4);
  assert.ok(part);
  const longer = withLength(Buffer.from('abcdef'));
  const expected = Buffer.concat([withLength(longer), withLength(Buffer.from('z'))]);
  assert.equal(replacePart(outer, part, parts, longer), expected);
});

test('compiled code reports each block that it enters', () => {
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

test('an input that reaches a new block is kept, and the same seed keeps the same', async () => {
  const config = TARGETS.find(({ name }) => name === 'connect-strings') as Target;
  const kept: string[][] = [];
  for (const seed of [7, 7, 8]) {
    const fuzzer = new Fuzzer(config, seed, new Coverage());
    await fuzzer.begin([Buffer.from('a')]);
    for (let i = 0; i < 8; i++) await fuzzer.step();
    kept.push(fuzzer.corpus.map((input) => input.toString('hex')));
  }
  assert.ok((kept[0]?.length ?? 0) > 1, 'nothing was learned');
  assert.equal(kept[0], kept[1]);
  assert.not.equal(kept[0], kept[2]);
});

test.run();
