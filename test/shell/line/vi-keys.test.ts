import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { makeVocabulary } from '../../../src/commands/zksh/completing/vocabulary.js';
import { readIsVi } from '../../../src/commands/zksh/configuration.js';
import { editLine, type LineAction } from '../../../src/shell/line/line-editor.js';
import { promptSpans } from '../../../src/shell/line/prompt.js';
import { initialState, type ShellState, stepShell } from '../../../src/shell/shell-state.js';
import { makeTempDir } from '../../support/machine/temp-dir.js';

const CONNECTED = { server: 'zk1:2181', state: 'connected', chroot: '', cwd: '/' } as const;
const HISTORY = ['ls /old', 'get /app'];

/** `<` is Escape, `~` Enter, and `^` Backspace; other characters are typed. */
const NAMED: Readonly<Record<string, string>> = { '<': 'escape', '~': 'enter', '^': 'backspace' };

function type(keys: string): ShellState {
  const start = initialState(makeVocabulary([]), CONNECTED, true);
  return [...keys].reduce<ShellState>((state, sign) => press(state, sign), {
    ...start,
    history: HISTORY,
  });
}

function press(state: ShellState, sign: string): ShellState {
  const name = NAMED[sign];
  const key =
    name === undefined ? ({ type: 'text', text: sign } as const) : ({ type: 'key', name } as const);
  return stepShell(state, { type: 'key', action: { type: 'vi', key } }).state;
}

/** The line with a bar before the cursor. */
function shown({ line: { text, cursor } }: ShellState): string {
  return `${text.slice(0, cursor)}|${text.slice(cursor)}`;
}

const LINE = 'get /app/one two';

const CASES: readonly (readonly [keys: string, line: string])[] = [
  ['', 'get /app/one two|'],
  ['<', 'get /app/one tw|o'],
  ['<0', '|get /app/one two'],
  ['<0$', 'get /app/one tw|o'],
  ['<0w', 'get |/app/one two'],
  ['<0ww', 'get /|app/one two'],
  ['<02W', 'get /app/one |two'],
  ['<0e', 'ge|t /app/one two'],
  ['<0E', 'ge|t /app/one two'],
  ['<0wE', 'get /app/on|e two'],
  ['<b', 'get /app/one |two'],
  ['<2b', 'get /app/|one two'],
  ['<BB', 'get |/app/one two'],
  ['<0fo', 'get /app/|one two'],
  ['<02fo', 'get /app/one tw|o'],
  ['<0to', 'get /app|/one two'],
  ['<F/', 'get /app|/one two'],
  ['<T/', 'get /app/|one two'],
  ['<0fz', '|get /app/one two'],
  ['<0fo;', 'get /app/one tw|o'],
  ['<0fo;,', 'get /app/|one two'],
  ['<0to;', 'get /app|/one two'],
  ['<Fo;', 'get /app/|one two'],
  ['<0fpd;', 'get /a|/one two'],
  ['<;', 'get /app/one tw|o'],
  ['<0x.', '|t /app/one two'],
  ['<0x3.', '|/app/one two'],
  ['<0x2..', '|app/one two'],
  ['<03x.', '|pp/one two'],
  ['<0wdwdw.', 'get |one two'],
  ['<0cwset<W.', 'set se|tapp/one two'],
  ['<0cWset<W.', 'set se|t two'],
  ['<0wcwx', 'get x|app/one two'],
  ['<0wc2wx', 'get x|/one two'],
  ['<cwx', 'get /app/one twx|'],
  ['<0rxlrl.', 'x|lt /app/one two'],
  ['<A!<.', 'get /app/one two!|!'],
  ['<A12^<.', 'get /app/one two1|1'],
  ['<A!<.u', 'get /app/one two|!'],
  ['<.', 'get /app/one tw|o'],
  ['<0l3lh', 'get| /app/one two'],
  ['<^', 'get /app/one t|wo'],
  ['<0dw', '|/app/one two'],
  ['<0d2w', '|app/one two'],
  ['<02dw', '|app/one two'],
  ['<0wdE', 'get | two'],
  ['<d0', '|o'],
  ['<0wd$', 'get| '],
  ['<0wD', 'get| '],
  ['<0dto', '|one two'],
  ['<0df/', '|app/one two'],
  ['<bdF/', 'get /app|two'],
  ['<dd', '|'],
  ['<0cwls<', 'l|s /app/one two'],
  ['<bcwx', 'get /app/one x|'],
  ['<ccls', 'ls|'],
  ['<0wCx', 'get x|'],
  ['<Sls /', 'ls /|'],
  ['<x', 'get /app/one t|w'],
  ['<03x', '| /app/one two'],
  ['<X', 'get /app/one t|o'],
  ['<0sx', 'x|et /app/one two'],
  ['<rz', 'get /app/one tw|z'],
  ['<03rx', 'xx|x /app/one two'],
  ['<099rx', '|get /app/one two'],
  ['<iX', 'get /app/one twX|o'],
  ['<aX', 'get /app/one twoX|'],
  ['<0aX', 'gX|et /app/one two'],
  ['<IX', 'X|get /app/one two'],
  ['<0AX', 'get /app/one twoX|'],
  ['<0yw$p', 'get /app/one twoget| '],
  ['<0ywP', 'get| get /app/one two'],
  ['<xp', 'get /app/one tw|o'],
  ['<0x3p', 'egg|gt /app/one two'],
  ['<dwu', 'get /app/one tw|o'],
  ['<0dwdwuu', '|get /app/one two'],
  ['<AXY<u', 'get /app/one tw|o'],
  ['<uu', 'get /app/one tw|o'],
  ['<d<x', 'get /app/one t|w'],
  ['<d9q', 'get /app/one tw|o'],
  ['<k', 'get /ap|p'],
  ['<kk', 'ls /ol|d'],
  ['<kkjj', 'get /app/one tw|o'],
  ['</old<', 'ls /|old'],
];

test('the keys of vi move, change, paste, undo, and recall', () => {
  for (const [keys, line] of CASES) assert.is(shown(type(LINE + keys)), line, keys);
});

test('graphemes stay whole, and an empty line takes every key', () => {
  assert.is(shown(type('a👍🏽é<')), 'a👍🏽|é');
  assert.is(shown(type('a👍🏽é<hx')), 'a|é');
  for (const keys of ['x', 'dw', 'dd', 'p', 'u', 'b', 'e', 'w', '$', 'rx', 'fx', '3X']) {
    assert.is(shown(type(`<${keys}`)), '|', keys);
  }
});

test('Enter begins a new line in insert mode, and Escape with a key may arrive as one', () => {
  const { vi, line } = type('get /a<~');
  assert.equal([vi?.mode, vi?.undo.length, line.text], ['insert', 0, '']);
  const key = { type: 'key', name: 'alt-0' } as const;
  const { state } = stepShell(type(LINE), { type: 'key', action: { type: 'vi', key } });
  assert.is(shown(state), `|${LINE}`);
});

test('Enter on the result of a search begins in insert mode', () => {
  const found = type('x</old');
  assert.is(found.line.search?.hasFailed, false);
  const { state } = stepShell(found, { type: 'key', action: { type: 'enter' } });
  assert.equal([state.vi?.mode, state.line.text, state.running?.line], ['insert', '', 'ls /old']);
});

test('the sign of the prompt shows the mode', () => {
  assert.equal([type('a').vi?.mode, type('a<').vi?.mode], ['insert', 'normal']);
  assert.is(promptSpans(CONNECTED, 80, ':').at(-1)?.text, ': ');
});

test('n and N repeat the search that / or ? began', () => {
  const history = ['ls /old', 'get /app', 'ls /new'];
  const start = { ...type('<'), history };
  assert.ok(press(start, '?').line.search !== undefined);
  const actions: readonly LineAction[] = [
    { type: 'insert', text: 'ls' },
    { type: 'search-accept' },
  ];
  const found = actions.reduce(
    (line, action) => editLine(line, action, history),
    press(start, '/').line,
  );
  const after = (keys: string) =>
    [...keys].reduce<ShellState>(press, { ...start, line: found }).line.text;
  assert.is(after(''), 'ls /new');
  assert.is(after('n'), 'ls /old');
  assert.is(after('nn'), 'ls /old', 'no older match');
  assert.is(after('nN'), 'ls /new');
  assert.is(after('N'), 'ls /new', 'no newer match');
  assert.is([...'nN'].reduce<ShellState>(press, start).line.text, '', 'no search yet');
});

test('"editing-mode" of the configuration is emacs or vi, and emacs by default', async () => {
  const home = makeTempDir('vi');
  try {
    const file = join(home.path, 'config.json');
    assert.is(await readIsVi(file), false);
    writeFileSync(file, '{"editing-mode": "vi"}');
    assert.is(await readIsVi(file), true);
    writeFileSync(file, '{"editing-mode": "ed"}');
    const fault = await readIsVi(file).catch(String);
    assert.match(String(fault), /invalid "editing-mode" \(expected "emacs" or "vi"\)/);
  } finally {
    home.remove();
  }
});

test.run();
