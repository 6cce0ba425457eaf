/** The state here of what Apache's 3.10 adds to 3.9.5 or changes, for docs/compatibility.md. */
import { OPTIONS } from '../../src/server/config/config-keys.js';
import type { Option } from '../../src/server/config/config-option.js';
import { laterNames } from './apache.js';
import { different, type Entry, keyEntry, metricEntry, SAME } from './states.js';

type Entries = Readonly<Record<string, Entry>>;

export const LATER_KEYS: Entries = {
  'metricsProvider.httpsPort': different(
    'metricsProvider.httpPort opens its port beside it; 3.10 then opens only this one',
  ),
  'metricsProvider.ssl.keyStore.type': different('PEM, PKCS12, and JKS; BCFKS is refused'),
  'metricsProvider.ssl.trustStore.type': different('PEM, PKCS12, and JKS; BCFKS is refused'),
};

export const LATER_CLIENT_KEYS: Entries = {
  'zookeeper.hostProvider.dnsSrvRefreshIntervalSeconds': different(
    'no effect: zksh asks once, the library by refreshMs of connectTo',
  ),
  'zookeeper.sasl.client.allowReverseDnsLookup': different(
    'no effect: canonicalize.hostname alone decides whether DNS is asked',
  ),
  'zookeeper.shuffleDnsResponse': different(
    'no effect: servers are shuffled, the addresses of one name are not',
  ),
};

export const FORMS: Entries = {
  'X-Forwarded-For': different('the first address counts, as in 3.9.5; in 3.10, the last one'),
  'fips-mode': different('TLS 1.3 stays available; in 3.10, only TLS 1.2 is, unless configured'),
};

/** Every name that 3.10 adds or changes, with what it is. */
export function laterEntries(
  zero: ReadonlySet<string>,
): readonly (readonly [what: string, name: string, entry: Entry])[] {
  const { keys, defaults, clientKeys, commands, metrics, shellCommands, forms } = laterNames();
  return [
    ...keys.map((name) => ['new key', name, LATER_KEYS[name] ?? keyEntry(name)] as const),
    ...Object.entries(defaults).map(
      ([name, later]) => ['default', name, defaultEntry(name, later)] as const,
    ),
    ...clientKeys.map(
      (name) => ['key of a client', name, LATER_CLIENT_KEYS[name] ?? SAME] as const,
    ),
    ...Object.keys(commands).map((name) => ['command', name, SAME] as const),
    ...shellCommands.map((name) => ['command of the shell', name, SAME] as const),
    ...forms.map((name) => ['form or meaning', name, FORMS[name] ?? SAME] as const),
    ...metrics.map((name) => ['metric', name, metricEntry(name, zero)] as const),
  ];
}

/** The defaults here are those of 3.9.5, the oracle of this project. */
function defaultEntry(key: string, later: string): Entry {
  const option: Option<unknown> | undefined = Object.values(OPTIONS).find(
    (each) => each.key === key,
  );
  if (option === undefined) throw new Error(`${key}: no option`);
  const here = option.defaultText;
  if (here === later) return SAME;
  return different(`${here} by default, as in 3.9.5; in 3.10, ${later}`);
}
