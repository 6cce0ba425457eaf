import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { asciiDrawing, isAsciiLocale } from '../../../src/commands/terminal/ascii-drawing.js';

for (const [env, isAscii] of [
  [{}, false],
  [{ LANG: 'C' }, true],
  [{ LC_ALL: 'C' }, true],
  [{ LC_ALL: 'C.UTF-8', LANG: 'C' }, false],
  [{ LC_ALL: '', LC_CTYPE: 'en_US.utf8' }, false],
  [{ LC_CTYPE: 'POSIX', LANG: 'en_US.UTF-8' }, true],
  [{ LC_ALL: 'C', LC_CTYPE: 'en_US.UTF-8' }, true],
] as const) {
  test(`${JSON.stringify(env)}: ${isAscii ? 'ASCII' : 'UTF-8'}`, () => {
    assert.is(isAsciiLocale(env), isAscii);
  });
}

test('drawings become ASCII of the same width, names stay', () => {
  assert.is(asciiDrawing('├── é\n│   └── x…'), '|-- é\n|   `-- x~');
  assert.is(asciiDrawing('▾ ▁█ ↑↓←→ ·'), 'v _# ^v<> -');
});

test.run();
