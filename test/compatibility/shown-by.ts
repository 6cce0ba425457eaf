/** The test that shows each state of docs/compatibility.md, by kind and name: shown-by.json. */
import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { OPTIONS } from '../../src/server/config/config-keys.js';
import { repositoryRoot } from '../fourlw/captured-view.js';
import { TOOLS } from './states.js';

/** For each kind of names: a file under test, and the names that it shows. */
export type ShownBy = Readonly<Record<string, Readonly<Record<string, readonly string[]>>>>;

const TEST = join(repositoryRoot(), 'test');

export function shownBy(): ShownBy {
  return JSON.parse(readFileSync(join(TEST, 'compatibility', 'shown-by.json'), 'utf8')) as ShownBy;
}

/** The test of a name. @throws Error for a name without one */
export function proofOf(kind: string, name: string, all: ShownBy = shownBy()): string {
  const found = Object.entries(all[kind] ?? {}).filter(([, names]) => names.includes(name));
  const [own, other] = found;
  if (own === undefined) throw new Error(`${kind}: ${name}: no test in shown-by.json`);
  if (other !== undefined) throw new Error(`${kind}: ${name}: two tests in shown-by.json`);
  return own[0];
}

/** These play every name of their kind, so they need not write it. */
const PLAYERS: Readonly<Record<string, string>> = { metrics: 'compatibility/metrics.test.ts' };

/** What is wrong with the file that shows a name; undefined if nothing is. */
export function problemWith(
  kind: string,
  name: string,
  file: string,
  read: (file: string) => string = withHelpers,
): string | undefined {
  if (!/\.test\.ts$/.test(file)) return `${file}: not a test`;
  if (PLAYERS[kind] === file) return undefined;
  const text = read(file);
  const isWritten = spellings(kind, name).some((word) => {
    const escaped = word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
    return new RegExp(`(?<![\\w$-])${escaped}(?![\\w$-])`).test(text);
  });
  return isWritten ? undefined : `${file}: does not write ${name}`;
}

/** The text of a test, and of the modules of test that it imports. */
function withHelpers(file: string): string {
  const path = join(TEST, file);
  const text = readFileSync(path, 'utf8');
  const imports = [...text.matchAll(/from '(\.[^']*)\.js'/g)].map(([, from = '']) =>
    join(dirname(path), `${from}.ts`),
  );
  const helpers = imports.filter((each) => each.startsWith(TEST));
  return [text, ...helpers.map((each) => readFileSync(each, 'utf8'))].join('\n');
}

/** Also written: a tool as its verb, a metric as in mntr, a key as its field of Config, N as 1. */
function spellings(kind: string, name: string): readonly string[] {
  if (kind === 'tools') {
    const here = TOOLS[name]?.here ?? name;
    return [name, here, `'${here.split(' ').at(-1)}'`];
  }
  if (kind === 'metrics') return [name, `zk_${name}`, `zk_app_${name}`];
  if (kind !== 'keys') return [name];
  if (name.endsWith('.N')) return [name, `${name.slice(0, -1)}1`];
  const fields = Object.entries(OPTIONS)
    .filter(([, { key, property }]) => key === name || property === `zookeeper.${name}`)
    .map(([field]) => field);
  return [name, ...fields];
}
