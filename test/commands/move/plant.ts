import { randomBytes } from 'node:crypto';
import type { ServedShell } from '../../support/served-shell.js';

/** Every allowed part of Unicode, and what shells and paths make much of. */
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

/** A tree of everything a copy must keep, at /t; gives the random bytes of /t/blob. */
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
