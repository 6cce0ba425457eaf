import { readdirSync, readFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { settingsOf } from './zoo-cfg-members.js';

const CONFIG_NAME = /\.(?:cfg|conf)$/;
/** A folder with many files is probably not one of configurations. */
const MAX_FILES = 100;

/**
 * The client ports of members that share a machine, by name (`server.1`). Each has a zoo.cfg of its
 * own: `zoo1.cfg` and `zoo2.cfg`, or `zk1/zoo.cfg` and `zk2/zoo.cfg`. The myid in its data folder
 * names its member.
 */
export function portsOfSiblings(file: string, text: string): ReadonlyMap<string, number> {
  const own = settingsOf(text);
  const names = serverNames(own);
  const ports = new Map<string, number>();
  const unnamed: number[] = [];
  for (const sibling of siblingsOf(resolve(file))) {
    const settings = settingsOf(readOrEmpty(sibling));
    const port = Number(settings.get('clientPort') ?? settings.get('secureClientPort'));
    const isSame = names.every((name) => settings.get(name) === own.get(name));
    if (!isSame || !Number.isInteger(port)) continue;
    const id = readOrEmpty(join(settings.get('dataDir') ?? '.', 'myid')).trim();
    if (names.includes(`server.${id}`)) ports.set(`server.${id}`, port);
    else unnamed.push(port);
  }
  for (const name of names) {
    const port = ports.has(name) ? undefined : unnamed.shift();
    if (port !== undefined) ports.set(name, port);
  }
  return ports;
}

function serverNames(settings: ReadonlyMap<string, string>): readonly string[] {
  return [...settings.keys()].filter((name) => /^server\.\d+$/.test(name));
}

function siblingsOf(file: string): readonly string[] {
  const [name, folder] = [basename(file), dirname(file)];
  const siblings = listOf(folder).filter((one) => CONFIG_NAME.test(one));
  const above = dirname(folder);
  const inFolders = listOf(above).map((one) => join(above, one, name));
  const top = dirname(above);
  const deeper = listOf(top).map((one) => join(top, one, basename(folder), name));
  const found = [...siblings.map((one) => join(folder, one)), ...inFolders, ...deeper];
  return [...new Set(found)].slice(0, MAX_FILES);
}

function listOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder).sort();
  } catch {
    return [];
  }
}

function readOrEmpty(file: string): string {
  try {
    return readFileSync(file, 'latin1');
  } catch {
    return '';
  }
}
