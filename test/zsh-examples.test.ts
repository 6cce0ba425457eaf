import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { PROJECT_ROOT, readProjectFile } from './support/tidy/source-file.js';

// zsh refuses a word with a pattern that matches no file, so NAME=* must be in quotes.

const QUOTED = /\\.|'[^']*'|"(?:[^"\\]|\\.)*"/g;

/** The command lines of a page whose assignments have a pattern outside quotes. */
function unquoted(page: string): string[] {
  return [...page.matchAll(/^```(sh|bash|console)\b[^\n]*\n(.*?)^```/gms)]
    .flatMap(([, kind, text = '']) =>
      text.split('\n').filter((line) => kind !== 'console' || line.startsWith('$ ')),
    )
    .filter((line) => !line.trimStart().startsWith('#'))
    .filter((line) =>
      /\S=\S*[*?[]/.test(
        line
          .replace(QUOTED, 'q')
          .replace(/\$\{[^}]*\}/g, 'v')
          .replace(/\[\[? /g, ''),
      ),
    );
}

test('the commands of the README and the guides run in zsh', () => {
  const guides = readdirSync(join(PROJECT_ROOT, 'docs')).filter((name) => name.endsWith('.md'));
  for (const page of ['README.md', ...guides.map((name) => `docs/${name}`)]) {
    assert.equal(unquoted(readProjectFile(page)), [], page);
  }
});

test('a pattern outside quotes is found', () => {
  const page = (line: string) => `\`\`\`sh\n${line}\n\`\`\`\n`;
  assert.equal(unquoted(page('zkserver start -D a.whitelist=*')).length, 1);
  for (const line of ["-D 'a=*'", '-D a="*"', 'cp dist/* /bin', 'a=1 ls *', '# a=*']) {
    assert.equal(unquoted(page(line)), [], line);
  }
});

test.run();
