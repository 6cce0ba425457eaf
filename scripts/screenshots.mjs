// Renders docs/images/*.svg from a real terminal: npm run screenshots (it needs tmux).
//
// Each scene runs in a tmux window. Its last screen, with colors, becomes a light and a dark SVG.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('..', import.meta.url));
const [COLUMNS, ROWS] = [96, 22];
const CELL = { width: 8.4, height: 18, left: 14, top: 14 };
const TIMEOUT_MS = 20_000;

/** The eight colors of a terminal and their bright forms, text and background. */
const THEMES = {
  light: {
    colors: '#24292f #cf222e #116329 #7d4e00 #0550ae #8250df #1b7c83 #6e7781'.split(' '),
    bright: '#57606a #a40e26 #1a7f37 #633c01 #0969da #a475f9 #3192aa #8c959f'.split(' '),
    text: '#24292f',
    ground: '#ffffff',
    frame: '#d0d7de',
  },
  dark: {
    colors: '#484f58 #ff7b72 #3fb950 #d29922 #58a6ff #bc8cff #39c5cf #b1bac4'.split(' '),
    bright: '#6e7681 #ffa198 #56d364 #e3b341 #79c0ff #d2a8ff #56d4dd #f0f6fc'.split(' '),
    text: '#e6edf3',
    ground: '#0d1117',
    frame: '#30363d',
  },
};

const MEMBERS = '127.0.0.1:21810,127.0.0.1:21811,127.0.0.1:21812';

/** Lines to type, each at a new prompt; `last` is typed without Enter. */
const SCENES = {
  zksh: {
    prompt: /\/>/g,
    typed: [
      'zksh --embedded',
      'create -p /app/config/db host=db1',
      'create -e /app/worker-1 ready',
      'watch -R /app',
      'set /app/config/db host=db2',
      'ls -l /app',
      'get /app/con\t',
    ],
    until: /get \/app\/config/,
  },
  zkops: {
    ensemble: true,
    prompt: /\$/g,
    typed: [`zkops health --servers ${MEMBERS}`],
    until: /^(HEALTHY|WARNING|CRITICAL)/m,
  },
};

function tmux(socket, ...args) {
  return execFileSync('tmux', ['-S', socket, ...args], { encoding: 'utf8' });
}

async function waitFor(what, isDone) {
  const endsAt = Date.now() + TIMEOUT_MS;
  while (!isDone()) {
    if (Date.now() > endsAt) throw new Error(`${what} did not come`);
    await delay(100);
  }
}

async function record({ prompt, typed, until }, socket, env) {
  const size = ['-x', String(COLUMNS), '-y', String(ROWS)];
  tmux(socket, 'new-session', '-d', ...size, 'env', ...env, 'sh', '-c', `PS1='$ ' exec sh -i`);
  const screen = () => tmux(socket, 'capture-pane', '-p');
  // The first line is typed at the prompt of sh, which is not a prompt of the program.
  let prompts = 0;
  try {
    await waitFor('the prompt of sh', () => screen().startsWith('$'));
    for (const line of typed) {
      await waitFor(`a prompt for "${line}" in\n${screen()}`, () => {
        const count = screen().match(prompt)?.length ?? 0;
        return count >= prompts;
      });
      await delay(300);
      tmux(socket, 'send-keys', '-l', line.replace('\t', ''));
      tmux(socket, 'send-keys', line.endsWith('\t') ? 'Tab' : 'Enter');
      prompts++;
    }
    await waitFor(String(until), () => until.test(screen()));
    await delay(300);
    return tmux(socket, 'capture-pane', '-p', '-e');
  } finally {
    tmux(socket, 'kill-server');
  }
}

/** A healthy ensemble of three; stop it with `child.kill()`. */
async function startEnsemble(env) {
  const args = ['zkserver', 'ensemble', '--size', '3', '--base-port', '21810'];
  const child = spawn('env', [...env, ...args], { stdio: 'ignore' });
  const health = ['zkops', 'health', '-q', '--servers', MEMBERS];
  await waitFor('a healthy ensemble', () => spawnSync('env', [...env, ...health]).status === 0);
  return child;
}

function escapeXml(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

/** The style that one number of an SGR sequence sets; colors are indexes from 0 to 15. */
function styleOf(code) {
  if (code === 1) return { isBold: true };
  if (code === 2) return { isDim: true };
  if (code === 7) return { isInverse: true };
  if (code === 22) return { isBold: false, isDim: false };
  if (code === 27) return { isInverse: false };
  if (code >= 30 && code <= 37) return { color: code - 30 };
  if (code === 39) return { color: undefined };
  return code >= 90 && code <= 97 ? { color: code - 82 } : {};
}

/** The style of the text after an SGR sequence, which changes the previous style. */
function applyCodes(before, codes) {
  let style = before;
  for (let i = 0; i < codes.length; i++) {
    if (codes[i] === 0) style = {};
    else if (codes[i] === 38) {
      style = { ...style, color: codes[i + 2] };
      i += 2;
    } else style = { ...style, ...styleOf(codes[i]) };
  }
  return style;
}

const ESCAPE = String.fromCharCode(27);
const SEQUENCE_OR_TEXT = new RegExp(`${ESCAPE}\\[([\\d;]*)m|([^${ESCAPE}]+)`, 'g');

function spansOf(line) {
  const spans = [];
  let style = {};
  let column = 0;
  for (const [, sequence, text] of line.matchAll(SEQUENCE_OR_TEXT)) {
    if (text === undefined) {
      const codes = sequence === '' ? [0] : sequence.split(';').map(Number);
      style = applyCodes(style, codes);
      continue;
    }
    spans.push({ column, text, style });
    column += [...text].length;
  }
  return spans;
}

function toSvg(name, screen, theme) {
  const lines = screen.replace(/\s+$/, '').split('\n');
  const width = COLUMNS * CELL.width + 2 * CELL.left;
  const height = lines.length * CELL.height + 2 * CELL.top;
  const rows = lines.flatMap((line, row) =>
    spansOf(line).map(({ column, text, style }) => {
      const x = (CELL.left + column * CELL.width).toFixed(1);
      const y = CELL.top + (row + 0.75) * CELL.height;
      const length = ([...text].length * CELL.width).toFixed(1);
      const color = theme.colors[style.color] ?? theme.bright[style.color - 8] ?? theme.text;
      const ground = `<rect x="${x}" y="${y - 0.75 * CELL.height}" width="${length}" height="${CELL.height}" fill="${color}"/>`;
      const fill = style.isInverse ? theme.ground : color;
      const look = `${style.isBold ? ' font-weight="bold"' : ''}${style.isDim ? ' opacity="0.6"' : ''}`;
      const shown = `<text x="${x}" y="${y}" textLength="${length}" fill="${fill}"${look} xml:space="preserve">${escapeXml(text)}</text>`;
      return style.isInverse ? ground + shown : text.trim() === '' ? '' : shown;
    }),
  );
  const box = `<rect width="100%" height="100%" rx="8" fill="${theme.ground}" stroke="${theme.frame}"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="14">\n<title>${name} in a terminal</title>\n${box}\n${rows.filter((row) => row !== '').join('\n')}\n</svg>\n`;
}

const home = mkdtempSync(join(tmpdir(), 'screenshots-'));
try {
  const bin = join(home, 'bin');
  mkdirSync(bin);
  for (const name of ['zksh', 'zkops', 'zkserver']) {
    const script = join(root, 'dist', 'bin', `${name}.cjs`);
    writeFileSync(join(bin, name), `#!/bin/sh\nexec '${process.execPath}' '${script}' "$@"\n`);
    chmodSync(join(bin, name), 0o755);
  }
  mkdirSync(join(root, 'docs', 'images'), { recursive: true });
  const env = ['-i', `PATH=${bin}:${process.env.PATH}`, `HOME=${home}`];
  env.push('TERM=xterm-256color', 'LANG=C.UTF-8');
  for (const [name, scene] of Object.entries(SCENES)) {
    const ensemble = scene.ensemble === true ? await startEnsemble(env) : undefined;
    const screen = await record(scene, join(home, `${name}.sock`), env);
    ensemble?.kill();
    for (const [theme, colors] of Object.entries(THEMES)) {
      writeFileSync(
        join(root, 'docs', 'images', `${name}-${theme}.svg`),
        toSvg(name, screen, colors),
      );
    }
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
