/**
 * The addresses of a host name, for `net.connect`. Each call begins with the next address, so an
 * address whose server accepts connections and closes them does not hide the others.
 */
import type { LookupAddress } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { loadDns } from './load-on-demand.js';

/** More names than a program dials. */
const MOST_NAMES = 1000;

/** The number of calls for each name, from a random start that spreads the clients. */
const turns = new Map<string, number>();

export const lookupInTurn: LookupFunction = (hostname, options, callback) => {
  loadDns().lookup(hostname, { ...options, all: true }, (error, found) => {
    const addresses = error === null ? inTurn(hostname, found) : [];
    const [first] = addresses;
    if (error !== null || first === undefined) callback(error, []);
    else if (options.all === true) callback(null, [...addresses]);
    else callback(null, first.address, first.family);
  });
};

function inTurn(hostname: string, found: readonly LookupAddress[]): readonly LookupAddress[] {
  const turn = turns.get(hostname) ?? Math.floor(Math.random() * found.length);
  if (turns.size >= MOST_NAMES) turns.clear();
  turns.set(hostname, turn + 1);
  // A name server rotates them as well: without an order of our own, the turns would repeat one.
  const ordered = [...found].sort((a, b) => (a.address < b.address ? -1 : 1));
  const at = turn % Math.max(ordered.length, 1);
  return [...ordered.slice(at), ...ordered.slice(0, at)];
}
