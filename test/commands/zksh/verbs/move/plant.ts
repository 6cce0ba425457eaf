import { randomBytes } from 'node:crypto';
import type { ServedShell } from '../../../../support/terminal/served-shell.js';

/** Every allowed range of Unicode, and characters special to shells and paths. */
export const NAMES = [
  'with space',
  "it's",
  'say "it"',
  'a\\b',
  '-dash',
  '@at',
  '#no',
  '…',
  'größe',
  '値',
  '\u{2028}x',
  '*',
  '{a,b}',
  ';',
  '~',
];

/** Creates a tree with everything a copy must keep, at /t. Returns the random bytes of /t/blob. */
export async function plant(shell: ServedShell): Promise<Buffer> {
  const client = await shell.session.ready();
  const blob = randomBytes(100_000);
  await client.create('/t', Buffer.from('root'));
  await client.create('/t/null', null);
  await client.create('/t/empty', Buffer.alloc(0));
  await client.create('/t/blob', blob);
  await client.create('/t/names', null);
  for (const name of NAMES) await client.create(`/t/names/${name}`, Buffer.from(name));
  await shell.run('create /t/locked keep; create /t/locked/below deep');
  await shell.run('create /t/locked/below/leaf x world:anyone:r');
  await shell.run('setAcl /t/locked world:anyone:ra; create -e /t/eph gone');
  return blob;
}

/** Names that are difficult for files. Those of znodes are in the first plane of Unicode. */
export const MORE_NAMES = [
  '\ud7ff',
  '\uffef',
  'e\u0301',
  '.hidden',
  'x.data',
  'data',
  'CON',
  '%41',
  'a:b|c?<>"',
  '-',
  'null',
  '1.10',
  '---',
  'x'.repeat(300),
  '値'.repeat(400),
];
export const VALUES = [
  'two\nlines\n',
  '  indented\n and less',
  'no end\n\n\n',
  '\n',
  ' ',
  '--- !x\n...\n%y',
  "it's: # {a: 1}",
  '1.10',
  'null',
  'true',
  '\ufeffbom',
  'a\u2028b\u0085c\rd\r\ne\tf\u007f',
  '\u0000',
  '\u{1F600}\u{2FA1D}\u{E0001}\u{10FFFD}',
  '- x\n- y',
  'x'.repeat(2000),
];

/** Everything of `plant`, and special cases for the formats of a dump. */
export async function plantAll(shell: ServedShell): Promise<void> {
  await plant(shell);
  const client = await shell.session.ready();
  for (const name of MORE_NAMES) await client.create(`/t/names/${name}`, Buffer.from(name));
  await client.create('/t/values', null);
  for (const [index, value] of VALUES.entries()) {
    await client.create(`/t/values/${index}`, Buffer.from(value));
  }
  await client.create('/t/deep', null);
  let path = '/t/deep';
  for (let level = 0; level < 20; level++) {
    path = `${path}/${'d'.repeat(150)}`;
    await client.create(path, Buffer.from(String(level)));
  }
  await client.create('/t/megabyte', randomBytes(1_000_000));
}
