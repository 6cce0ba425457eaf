import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { tokenizer } from 'acorn';
import { analyse } from 'scslre';
import { test } from 'uvu';
import * as assert from 'uvu/assert';

// A text from outside must not take quadratic time: one request would stop the server.

const COMPILED = fileURLToPath(new URL('../src', import.meta.url));

const OPTIONS = { ecmaVersion: 'latest', sourceType: 'module' } as const;

/** Those for text that the user types. */
const EXCEPTIONS: readonly string[] = [
  // BRACKETS: the pattern of a command.
  'commands/znodes/path-glob.js',
];

/** The regular expressions of a program that can take more than linear time. */
function slowIn(code: string): string[] {
  const slow: string[] = [];
  for (const { type, start, end } of tokenizer(code, OPTIONS)) {
    if (type.label !== 'regexp') continue;
    const text = code.slice(start, end);
    const flagsAt = text.lastIndexOf('/') + 1;
    const { reports } = analyse({ source: text.slice(1, flagsAt - 1), flags: text.slice(flagsAt) });
    if (reports.length > 0) slow.push(text);
  }
  return slow;
}

test('the check finds quadratic and exponential ones', () => {
  assert.equal(slowIn('[/ +$/, /(?<! ) +$/]'), ['/ +$/']);
  assert.equal(slowIn('/^(?:a+)+b$/.test(text)'), ['/^(?:a+)+b$/']);
  assert.equal(slowIn(String.raw`/\s*([a-z]+)\s*=\s*([^,\s]*)\s*(?:,|$)/y`).length, 1);
});

test('each regular expression takes linear time', () => {
  const files = readdirSync(COMPILED, { recursive: true, encoding: 'utf8' });
  const slow = files
    .filter((file) => file.endsWith('.js'))
    .flatMap((file) => {
      const found = slowIn(readFileSync(join(COMPILED, file), 'utf8'));
      return found.map((expression) => [file, expression] as const);
    });
  assert.equal(
    slow.filter(([file]) => !EXCEPTIONS.includes(file)),
    [],
  );
  for (const file of EXCEPTIONS)
    assert.ok(
      slow.some(([slowFile]) => slowFile === file),
      file,
    );
});

test.run();
