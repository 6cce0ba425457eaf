import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { WORDS } from '../../../src/fourlw/index.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { LIMITS } from '../../../src/server/limits/limits.js';
import { restOf, ServerWorld } from '../server-world.js';

const EPHEMERAL = 1;
const PATHS = 40;
const NAME = 'x'.repeat(3000);
/** A slice of 64 Ki characters, and the piece that ends it. */
const MOST = 72 * 1024;

/** Clients whose watches, ephemerals, and sessions have much text. */
function fullWorld(): ServerWorld {
  const world = new ServerWorld();
  const watcher = world.client();
  for (let i = 0; i < PATHS; i++) {
    watcher.push(watcher.request(OpCode.exists, { path: `/${i}${NAME}`, watch: true }));
    watcher.push(watcher.create(`/e${i}${NAME}`, EPHEMERAL));
    world.ackAll();
  }
  for (let i = 0; i < 1800; i++) world.client();
  return world;
}

test('long answers leave in slices, as their clients read', () => {
  const world = fullWorld();
  const { view } = world.server;
  for (const name of ['wchp', 'wchc', 'dump', 'cons', 'stat'] as const) {
    const whole = WORDS[name].render(view);
    assert.ok(whole.length > MOST, `${name}: ${whole.length} characters`);
    const operator = world.connect();
    operator.step(Buffer.from(name));
    const effects = world.server.drain();
    const sent = effects.flatMap((effect) => (effect.kind === 'send' ? [effect.bytes] : []));
    assert.ok(Buffer.concat(sent).length <= MOST, name);
    const last = effects.find((effect) => effect.kind === 'finish');
    assert.ok(last?.kind === 'finish', name);
    let text = Buffer.concat(sent).toString();
    for (let next = last.slices.next(); next.done !== true; next = last.slices.next()) {
      assert.ok(next.value.length <= MOST, `${name}: ${next.value.length} characters`);
      text += next.value;
    }
    // The connection of the operator is in the lists, too.
    assert.ok(Math.abs(text.length - whole.length) < 200, `${name}: ${text.length}`);
    assert.is(effects.filter(({ kind }) => kind === 'close').length, 0, name);
  }
});

test('a list may change while it is sent', () => {
  const world = fullWorld();
  const words = ['wchp', 'wchc', 'dump', 'cons'];
  const finishes = words.flatMap((word) => {
    world.connect().step(Buffer.from(word));
    const effects = world.server.drain();
    return effects.flatMap((effect) => (effect.kind === 'finish' ? [effect.slices] : []));
  });
  assert.is(finishes.length, words.length);
  const [first] = [...world.server.state.connections.values()];
  assert.ok(first);
  world.server.step({ kind: 'disconnected', connection: first.id });
  const other = world.client();
  for (let i = 0; i < PATHS; i++) {
    other.push(other.request(OpCode.exists, { path: `/n${i}${NAME}`, watch: true }));
  }
  for (const slices of finishes) assert.ok(restOf(slices).length < 4_000_000);
});

test('of many words that come in one turn, later ones are answered in later turns', () => {
  const world = new ServerWorld();
  const length = WORDS.mntr.render(world.server.view).length;
  const count = 1 + Math.ceil((2 * 4 * LIMITS.turnSteps.value) / length);
  let rendered = 0;
  const { view } = world.server;
  Object.defineProperty(view, 'nodeCount', { get: () => ++rendered });
  const operators = Array.from({ length: count }, () => world.connect());
  for (const operator of operators) operator.step(Buffer.from('mntr'));
  assert.ok(rendered > 1 && rendered < count / 2 + 2, `${rendered} of ${count} answered at once`);
  const finishes = world.server.drain().filter((effect) => effect.kind === 'finish');
  assert.is(finishes.length, count - rendered);
  for (const { slices } of finishes) assert.match(restOf(slices), /^zk_version\t/);
  assert.is(rendered, count);
});

test('a short answer is one send and a close', () => {
  const world = new ServerWorld();
  for (const name of Object.keys(WORDS).filter((word) => word !== 'stmk')) {
    const operator = world.connect();
    operator.step(Buffer.from(name));
    assert.equal(
      world.server.drain().map(({ kind }) => kind),
      ['send', 'close'],
      name,
    );
  }
});

test.run();
