import type { Fault, Reason } from './member.js';

export interface FaultContext {
  readonly server: string;
  readonly host: string;
  readonly word: string;
  readonly timeoutMs: number;
  readonly detail: string;
  /** Every word of the run that it refused, for the line that zoo.cfg needs. */
  readonly words: readonly string[];
}

type Describe = (context: FaultContext) => { message: string; advice: string };

const SENTENCES: Readonly<Record<Reason | 'read-only', Describe>> = {
  refused: () => ({
    message: 'the connection was refused',
    advice: 'start the server, correct its port in the list, or look at firewalls on the way',
  }),
  timeout: ({ timeoutMs }) => ({
    message: `no whole answer within ${timeoutMs} ms`,
    advice: 'look at the server and at firewalls on the way, or give it a longer --timeout',
  }),
  dns: ({ host }) => ({
    message: `the name ${host} could not be resolved`,
    advice: 'correct the name in the list, or the name service',
  }),
  reset: ({ detail }) => ({
    message: `the connection broke${detail === '' ? '' : `: ${detail}`}`,
    advice: 'look at its log, and at a proxy on the way',
  }),
  // Whatever the kernel said: also that this machine has no local address or descriptor left.
  unreachable: ({ detail, server }) => ({
    message: `the connection failed${detail === '' ? '' : `: ${detail.replace(`${server} `, 'it ')}`}`,
    advice: 'look at its network, its routes and its firewall, and at the limits of this machine',
  }),
  tls: ({ detail, server }) => ({
    message: `TLS failed${detail === '' ? '' : `: ${detail.replace(`${server} `, 'it ')}`}`,
    advice: 'check its certificate, the authorities of --cacert, and which of its ports this is',
  }),
  'too-large': ({ word, server }) => ({
    message: `it sent far more than any answer to ${word}`,
    advice: `is ${server} the client port of a ZooKeeper server?`,
  }),
  empty: ({ word }) => ({
    message: 'it closed the connection without an answer',
    advice: `does it know ${word}? Is maxClientCnxns reached, or is this the secure port?`,
  }),
  'not-whitelisted': ({ words }) => ({
    message: `${words.join(' and ')} ${words.length > 1 ? 'are' : 'is'} not in its whitelist`,
    advice: `add 4lw.commands.whitelist=${whitelistFor(words)} to its zoo.cfg and restart it`,
  }),
  'not-serving': () => ({
    message: 'it runs but serves no requests',
    advice: 'look at the other members and at its log: is it starting, or without a quorum?',
  }),
  unreadable: ({ word, server }) => ({
    message: `what it sent is no answer to ${word}`,
    advice: `is ${server} the client port of a ZooKeeper server?`,
  }),
  'too-costly': ({ word, detail }) => ({
    message: `${detail} make ${word} a burden on it, so it was not asked`,
    advice: 'look at wchs, or ask all the same with --force',
  }),
  'read-only': () => ({
    message: 'it is without a quorum and serves read-only clients',
    advice: 'bring back enough members for a majority, or look at the network between them',
  }),
};

function whitelistFor(words: readonly string[]): string {
  return [...new Set(['srvr', ...words])].join(',');
}

/** What to tell a person about a member: what was found, and what to do. */
export function describeFault(reason: Reason | 'read-only', context: FaultContext): Fault {
  return { reason, ...SENTENCES[reason](context) };
}
