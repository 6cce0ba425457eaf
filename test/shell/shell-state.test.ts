import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeVocabulary } from '../../src/commands/zksh/completing/vocabulary.js';
import { allCommands } from '../../src/commands/zksh/running/registry.js';
import type { KeyAction } from '../../src/shell/line/keymap.js';
import type { LineAction } from '../../src/shell/line/line-editor.js';
import {
  initialState,
  type ShellEffect,
  type ShellEvent,
  type ShellState,
  stepShell,
  suggestion,
} from '../../src/shell/shell-state.js';

const vocabulary = makeVocabulary(await allCommands());
const CONNECTED = { server: 'zk1:2181', state: 'connected', chroot: '', cwd: '/' } as const;

type Move = Exclude<LineAction['type'], 'insert' | 'replace' | 'set-text' | 'put'>;

const key = (action: KeyAction): ShellEvent => ({ type: 'key', action });
const press = (type: Exclude<KeyAction['type'], 'edit' | 'answer' | 'scroll' | 'vi'>): ShellEvent =>
  key({ type });
const type = (text: string): ShellEvent => key({ type: 'edit', action: { type: 'insert', text } });
const move = (name: Move): ShellEvent =>
  key({ type: 'edit', action: { type: name } as LineAction });
const answer = (isYes: boolean): ShellEvent => key({ type: 'answer', isYes });
const finished = (isExit = false): ShellEvent => ({ type: 'finished', isExit });

interface Played {
  readonly state: ShellState;
  /** As text: "run ls /". */
  readonly effects: readonly string[];
}

function play(...events: readonly ShellEvent[]): Played {
  return playOn(initialState(vocabulary, CONNECTED), ...events);
}

function playOn(start: ShellState, ...events: readonly ShellEvent[]): Played {
  let state = start;
  const effects: string[] = [];
  for (const event of events) {
    const step = stepShell(state, event);
    state = step.state;
    effects.push(...step.effects.map(describeEffect));
  }
  return { state, effects };
}

function describeEffect(effect: ShellEffect): string {
  switch (effect.type) {
    case 'print':
      return `print ${effect.spans.map(({ text }) => text).join('')}${effect.answer ?? ''}`;
    case 'echo':
    case 'run':
    case 'store':
      return `${effect.type} ${effect.line}`;
    case 'complete':
      return `complete ${effect.text}`;
    case 'answer':
      return `answer ${effect.isYes}`;
    default:
      return effect.type;
  }
}

test('Enter shows the line, keeps it, and runs it', () => {
  const { state, effects } = play(type('ls /'), press('enter'));
  assert.equal(effects, ['echo ls /', 'store ls /', 'run ls /']);
  assert.is(state.line.text, '');
  assert.is(state.running?.line, 'ls /');
  assert.equal(state.history, ['ls /']);
});

const SECRET = 'addauth digest ann';
const asked: ShellEvent = { type: 'secret-asked', question: 'Password of ann: ' };

test('a password is not shown, and goes only to the command that asked for it', () => {
  const typing = play(type(SECRET), press('enter'), asked, type('sexret'));
  assert.is(typing.state.line.text, '');
  assert.is(typing.state.secret?.line.text, 'sexret');
  const edited = playOn(typing.state, move('kill-to-start'), type('secrets'), move('delete-left'));
  const { effects } = stepShell(edited.state, press('enter'));
  assert.equal(effects.at(-1), { type: 'answer', isYes: true, text: 'secret' });
  assert.equal(effects.slice(0, -1).map(describeEffect), ['print Password of ann:']);
  const after = playOn(edited.state, press('enter'), finished());
  assert.equal(after.state.history, []);
  assert.is(after.state.secret, undefined);
  assert.not.match(JSON.stringify([...after.state.history, after.state.line]), 'secret');
});

test('a password typed ahead is neither a line nor shown', () => {
  const ahead = play(type(SECRET), press('enter'), type('secret'), press('enter'));
  assert.equal(ahead.effects, [`echo ${SECRET}`, `run ${SECRET}`]);
  assert.equal(ahead.state.queue, []);
  const { effects } = stepShell(ahead.state, asked);
  assert.equal(effects.at(-1), { type: 'answer', isYes: true, text: 'secret' });
});

test('at a password prompt, Ctrl-C cancels, and the history and TAB do nothing', () => {
  const state = playOn({ ...play().state, history: ['ls /'] }, type(SECRET), press('enter'), asked);
  const { secret } = playOn(state.state, move('history-previous'), press('complete')).state;
  assert.is(secret?.line.text, '');
  const given = playOn(state.state, type('sec'), press('interrupt'));
  assert.equal([given.effects, given.state.secret], [['interrupt'], undefined]);
});

test('a line with the password, or of another scheme, is followed by normal lines', () => {
  for (const line of ['addauth digest ann:secret', 'addauth sasl ann', 'addauth digest']) {
    assert.is(play(type(line), press('enter')).state.secret, undefined, line);
  }
});

test('a blank line is only shown', () => {
  const { state, effects } = play(type('   '), press('enter'), press('enter'));
  assert.equal(effects, ['echo    ', 'echo ']);
  assert.is(state.running, undefined);
});

test('a line with a secret runs and is not kept', () => {
  const { state, effects } = play(type('addauth digest u:p'), press('enter'));
  assert.equal(effects, ['echo addauth digest u:p', 'run addauth digest u:p']);
  assert.equal(state.history, []);
});

test('Enter in an open quote begins another row', () => {
  const { state, effects } = play(type("set /a 'one"), press('enter'), type("two'"));
  assert.equal(effects, []);
  assert.is(state.line.text, "set /a 'one\ntwo'");
  assert.equal(playOn(state, press('enter')).effects[2], "run set /a 'one\ntwo'");
});

test('pasted text of several lines waits for Enter', () => {
  const { effects } = play(type('ls /\nls /a'), press('enter'));
  assert.is(effects.at(-1), 'run ls /\nls /a');
});

test('lines entered during a command run in order', () => {
  const { state, effects } = play(
    ...[type('first'), press('enter'), type('second'), press('enter')],
    ...[press('enter'), type('third'), press('enter'), type('typed on')],
  );
  assert.is(effects.filter((effect) => effect.startsWith('run')).length, 1);
  const second = playOn(state, finished());
  assert.equal(second.effects, ['echo second', 'store second', 'run second']);
  const third = playOn(second.state, finished());
  assert.equal(third.effects, ['echo ', 'echo third', 'store third', 'run third']);
  assert.is(playOn(third.state, finished()).state.line.text, 'typed on');
});

test('output and events are printed above the line', () => {
  const before = play(type('get /a'));
  const { state, effects } = playOn(before.state, {
    type: 'output',
    spans: [{ text: 'NodeDataChanged /a', tone: 'event' }],
  });
  assert.equal(effects, ['print NodeDataChanged /a']);
  assert.is(state, before.state);
});

test('Ctrl-C ends one thing at a time', () => {
  const cleared = play(type('get /a'), press('interrupt'));
  assert.is(cleared.state.line.text, '');
  assert.equal(cleared.effects, []);
  const running = play(type('ls /'), press('enter'), type('more'), press('enter'), type('typed'));
  const interrupted = playOn(running.state, press('interrupt'));
  assert.equal(interrupted.effects, ['interrupt']);
  assert.is(interrupted.state.line.text, 'typed');
  assert.equal(playOn(interrupted.state, finished()).effects, [], 'the queue is empty');
  const searching = play(type('draft'), move('search'), type('x'), press('interrupt'));
  assert.is(searching.state.line.text, 'draft');
  assert.is(searching.state.line.search, undefined);
});

test('Ctrl-D exits only from an empty line', () => {
  assert.equal(play(press('end-of-input')).effects, ['leave']);
  assert.is(play(press('end-of-input')).state.isLeaving, true);
  const typed = play(type('ab'), move('line-start'), press('end-of-input'));
  assert.is(typed.state.line.text, 'b');
  const running = play(type('ls /'), press('enter'), press('end-of-input'));
  assert.is(running.state.isLeaving, false);
  assert.equal(playOn(running.state, finished()).effects, ['leave']);
});

test('quit exits, and nothing happens after that', () => {
  const { state, effects } = play(type('quit'), press('enter'), finished(true));
  assert.is(effects.at(-1), 'leave');
  assert.equal(playOn(state, type('ls /'), press('enter')).effects, []);
});

test('exiting interrupts the running command', () => {
  const { effects } = play(type('ls /'), press('enter'), { type: 'leave' });
  assert.equal(effects.slice(-2), ['interrupt', 'leave']);
});

test('a question replaces the line until it is answered', () => {
  const asked = play(type('deleteall /a'), press('enter'), { type: 'asked', question: 'Sure?' });
  const yes = playOn(asked.state, answer(true));
  assert.equal(yes.effects, ['print Sure? [y/N] yes', 'answer true']);
  assert.is(yes.state.question, undefined);
  assert.equal(playOn(asked.state, answer(false)).effects.at(-1), 'answer false');
  const interrupted = playOn(asked.state, press('interrupt'));
  assert.equal(interrupted.effects, ['interrupt']);
  assert.is(interrupted.state.question, undefined);
});

test('history makes suggestions, and a move at the end accepts one', () => {
  const history: ShellEvent = {
    type: 'history',
    entries: ['get /app/node', 'ls /', 'set /a "x\ny"'],
  };
  assert.is(suggestion(play(history, type('get')).state), ' /app/node');
  assert.is(suggestion(play(history, type('set')).state), ' /a "x');
  assert.is(suggestion(play(history).state), '');
  assert.is(suggestion(play(history, type('get'), move('left')).state), '');
  assert.is(play(history, type('get'), move('right')).state.line.text, 'get /app/node');
  assert.is(play(history, type('get'), move('line-end')).state.line.text, 'get /app/node');
  assert.is(play(history, type('get'), move('word-right')).state.line.text, 'get /app');
  assert.is(play(history, type('nothing'), move('right')).state.line.text, 'nothing');
});

test('the first TAB inserts, the second lists, another key hides the list', () => {
  const completedWith = (text: string, candidates: readonly string[]) => {
    const event = (line: string): ShellEvent => ({
      type: 'completed',
      text: line,
      cursor: line.length,
      completion: { from: 4, to: line.length, text, candidates },
    });
    return event;
  };
  const found = completedWith('/app', ['app', 'apples']);
  const first = play(type('get /a'), press('complete'), found('get /a'));
  assert.equal(first.effects, ['complete get /a']);
  assert.is(first.state.line.text, 'get /app');
  assert.is(first.state.menu, undefined);
  const second = playOn(first.state, press('complete'), found('get /app'));
  assert.equal(second.state.menu, ['app', 'apples']);
  assert.is(playOn(second.state, type('l')).state.menu, undefined);
  const fresh = play(type('get /app'), press('complete'), found('get /app'));
  assert.is(fresh.state.menu, undefined, 'one TAB never lists');
});

test('a second TAB before the first is answered lists, too', () => {
  const found = (line: string): ShellEvent => ({
    type: 'completed',
    text: line,
    cursor: line.length,
    completion: { from: 4, to: line.length, text: '/app', candidates: ['app', 'apples'] },
  });
  const keys = [type('get /a'), press('complete'), press('complete')];
  const { state, effects } = play(...keys, found('get /a'), found('get /a'));
  assert.equal(effects, ['complete get /a', 'complete get /a', 'complete get /app']);
  assert.equal(playOn(state, found('get /app')).state.menu, ['app', 'apples']);
});

test('a late completion changes nothing', () => {
  const { state } = play(type('get /a'), press('complete'), type('x'), {
    type: 'completed',
    text: 'get /a',
    cursor: 6,
    completion: { from: 4, to: 6, text: '/app', candidates: ['app'] },
  });
  assert.is(state.line.text, 'get /ax');
});

test('a TAB without a match shows that until the next key', () => {
  const nothing = { from: 4, to: 6, text: '/z', candidates: [] };
  const event: ShellEvent = { type: 'completed', text: 'get /z', cursor: 6, completion: nothing };
  const { state } = play(type('get /z'), press('complete'), event);
  assert.is(state.note, 'no completions');
  assert.is(playOn(state, type('x')).state.note, undefined);
  const failed = { ...event, completion: { ...nothing, fault: 'not allowed' } };
  assert.is(play(type('get /z'), press('complete'), failed).state.note, 'not allowed');
});

test('the loss and return of the session are printed above the line', () => {
  const lost: ShellEvent = {
    type: 'connection',
    connection: { ...CONNECTED, state: 'disconnected' },
    reason: 'it was reset',
  };
  const back: ShellEvent = { type: 'connection', connection: CONNECTED };
  const { state, effects } = play(type('get /a'), lost, back);
  assert.equal(effects, [
    'print disconnected from zk1:2181: it was reset; reconnecting',
    'print reconnected to zk1:2181; session continues',
  ]);
  assert.is(state.line.text, 'get /a');
  assert.is(state.connection.state, 'connected');
});

test('a slow command shows that it runs, and a finished one does not', () => {
  assert.is(play(type('ls /'), press('enter'), { type: 'slow' }).state.running?.isSlow, true);
  assert.is(play({ type: 'slow' }).state.running, undefined);
});

test.run();
