/** The names that Apache ZooKeeper 3.9.5 documents or reads: facts, taken from its sources. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../fourlw/captured-view.js';

export interface ApacheNames {
  readonly operations: Readonly<Record<string, number>>;
  /** Of zoo.cfg, without the prefix `zookeeper.`; N ends the names of families. */
  readonly keys: readonly string[];
  /** Of a client's properties file (ZKClientConfig). */
  readonly clientKeys: readonly string[];
  readonly words: readonly string[];
  /** Of the AdminServer, with their aliases. */
  readonly commands: Readonly<Record<string, readonly string[]>>;
  readonly metrics: readonly string[];
  readonly tools: readonly string[];
  readonly shellCommands: readonly string[];
  /** Of the documentation. */
  readonly pages: readonly string[];
}

export function apacheNames(): ApacheNames {
  const file = join(repositoryRoot(), 'test', 'compatibility', 'apache-3.9.5.json');
  return JSON.parse(readFileSync(file, 'utf8')) as ApacheNames;
}
