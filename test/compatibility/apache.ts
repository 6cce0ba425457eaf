/** The names that Apache ZooKeeper 3.9.5 documents or reads: facts, taken from its sources. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repositoryRoot } from '../fourlw/captured-view.js';

export interface ApacheNames {
  readonly operations: Readonly<Record<string, number>>;
  /** Keys of zoo.cfg, without the prefix `zookeeper.`; N ends the names of families. */
  readonly keys: readonly string[];
  /** Keys of a client's properties file (ZKClientConfig). */
  readonly clientKeys: readonly string[];
  readonly words: readonly string[];
  /** Commands of the AdminServer, with their aliases. */
  readonly commands: Readonly<Record<string, readonly string[]>>;
  readonly metrics: readonly string[];
  readonly tools: readonly string[];
  readonly shellCommands: readonly string[];
}

/** What the coming 3.10 adds or changes: facts of a commit of Apache's trunk. */
export interface LaterNames {
  readonly commit: string;
  readonly keys: readonly string[];
  /** The defaults that changed; "none" for an option that must be set. */
  readonly defaults: Readonly<Record<string, string>>;
  readonly clientKeys: readonly string[];
  readonly commands: Readonly<Record<string, readonly string[]>>;
  readonly metrics: readonly string[];
  readonly shellCommands: readonly string[];
  /** Lines, addresses, and answers of another form or meaning; the records of jute are the same. */
  readonly forms: readonly string[];
}

export function apacheNames(): ApacheNames {
  return namesIn('apache-3.9.5.json') as ApacheNames;
}

export function laterNames(): LaterNames {
  return namesIn('apache-3.10.json') as LaterNames;
}

function namesIn(file: string): unknown {
  return JSON.parse(readFileSync(join(repositoryRoot(), 'test', 'compatibility', file), 'utf8'));
}
