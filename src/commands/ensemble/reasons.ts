import { loadingOf, type WordName } from '../../fourlw/index.js';
import type { Fault, Reason } from './member.js';

export interface FaultContext {
  readonly server: string;
  readonly host: string;
  readonly word: string;
  readonly timeoutMs: number;
  readonly detail: string;
  /** The refused words of this run, for the line in zoo.cfg. */
  readonly words: readonly string[];
}

type Describe = (context: FaultContext) => { message: string; advice: string };

const SENTENCES: Readonly<Record<Reason | 'read-only', Describe>> = {
  refused: () => ({
    message: 'connection refused',
    advice: 'start the server, correct its port in the list, or check the firewalls in between',
  }),
  timeout: ({ timeoutMs }) => ({
    message: `no complete answer within ${timeoutMs} ms`,
    advice: 'check the server and the firewalls in between, or raise --timeout',
  }),
  dns: ({ host }) => ({
    message: `cannot resolve the name ${host}`,
    advice: 'correct the name in the list, or fix DNS',
  }),
  reset: ({ detail }) => ({
    message: `the connection broke${detail === '' ? '' : `: ${detail}`}`,
    advice: 'check its log, and any proxy in between',
  }),
  // Any other error of the kernel, including a lack of local ports or descriptors.
  unreachable: ({ detail, server }) => ({
    message: `the connection failed${detail === '' ? '' : `: ${detail.replace(`${server} `, 'it ')}`}`,
    advice: 'check its network, routes, and firewall, and the limits of this machine',
  }),
  tls: ({ detail, server }) => ({
    message: `TLS failed${detail === '' ? '' : `: ${detail.replace(`${server} `, 'it ')}`}`,
    advice: 'check its certificate, the authorities in --cacert, and that this is its TLS port',
  }),
  'too-large': ({ word, server }) => ({
    message: `answer too long for ${word}`,
    advice: `check that ${server} is the client port of a ZooKeeper server`,
  }),
  empty: ({ word }) => ({
    message: 'it closed the connection without an answer',
    advice: `check that it knows ${word}, that maxClientCnxns is not reached, and that this is not the secure port`,
  }),
  'not-whitelisted': ({ words }) => ({
    message: `${words.join(' and ')} ${words.length > 1 ? 'are' : 'is'} not in its whitelist`,
    advice: `add 4lw.commands.whitelist=${whitelistFor(words)} to its zoo.cfg and restart it`,
  }),
  'not-serving': ({ detail }) => {
    const loading = loadingOf(detail);
    return {
      message: `it runs but serves no requests${loading === undefined ? '' : `: it has loaded ${loading} of its data`}`,
      advice: 'check its log and the other members: it may be starting, or lack a quorum',
    };
  },
  unreadable: ({ word, server }) => ({
    message: `not an answer to ${word}`,
    advice: `check that ${server} is the client port of a ZooKeeper server`,
  }),
  'too-costly': ({ word, detail }) => ({
    message: `${detail} make ${word} too costly, so it was not asked`,
    advice: 'use wchs, or ask anyway with --force',
  }),
  'read-only': () => ({
    message: 'it has no quorum and serves read-only clients',
    advice: 'restart enough members for a majority, or check the network between them',
  }),
};

/** What a member that fails is found with. */
export const REASONS: readonly string[] = Object.keys(SENTENCES);

/** What the verbs of zkops ask, without costly and changing words: one restart allows them all. */
const USED_WORDS: readonly WordName[] = [
  'srvr',
  'mntr',
  'conf',
  'ruok',
  'isro',
  'stat',
  'cons',
  'dump',
  'envi',
  'dirs',
  'hash',
  'wchs',
];

function whitelistFor(words: readonly string[]): string {
  return [...new Set([...USED_WORDS, ...words])].join(',');
}

export function describeFault(reason: Reason | 'read-only', context: FaultContext): Fault {
  return { reason, ...SENTENCES[reason](context) };
}
