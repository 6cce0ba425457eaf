/**
 * The state of every name of Apache ZooKeeper 3.9.5 here, for docs/compatibility.md. A name without
 * an entry in DIFFERENT is the same as in 3.9.5; the states of keys and metrics come from the code.
 */
import { OPTIONS, unreadKey } from '../../src/server/config/config-keys.js';
import type { Option } from '../../src/server/config/config-option.js';

export type State = 'same' | 'different' | 'refused';

export interface Entry {
  readonly state: State;
  /** What differs, and why; "" for the same. */
  readonly how: string;
}

type Entries = Readonly<Record<string, Entry>>;

export const SAME: Entry = { state: 'same', how: '' };
export const different = (how: string): Entry => ({ state: 'different', how });
/** Before the reason, of a key that is accepted and changes nothing. */
export const NO_EFFECT = 'no effect: ';
const refused = (how: string): Entry => ({ state: 'refused', how });

export const OPERATIONS: Entries = {
  setACL: different('more than 5000 entries are INVALIDACL, also in a create'),
  sasl: different('Kerberos (GSSAPI) needs AES; DES and RC4 are refused'),
  deleteContainer: refused('only servers may send it, because it bypasses the ACL'),
  createSession: refused('only servers may send it'),
  multiRead: different(
    'a reply above 64 MiB, or with more than 250,000 children, is MARSHALLINGERROR; 3.9.5 builds it in memory',
  ),
  getAllChildrenNumber: different(
    'above 1000 znodes, the number may include some concurrent changes of other clients',
  ),
  createTTL: different(
    'a mode without a TTL, or a negative TTL, is BADARGUMENTS; Apache logs it, and cannot start again',
  ),
};

export const WORDS_HERE: Entries = {
  envi: different('the fields of the JVM describe Node.js'),
  mntr: different('some metrics stay zero: see [Metrics](metrics.md)'),
  srvr: different('answers `Loading: 43 %` during a long start; 3.9.5 accepts no connection'),
};

export const COMMANDS: Entries = {
  dump: different('expiry times are in milliseconds since 1970'),
  environment: different('the fields of the JVM describe Node.js'),
  initial_configuration: different(
    'lists the options that differ from their defaults, without secrets, also while the server does not serve',
  ),
  monitor: different('answers while the server does not serve; 3.9.5 fails with status 500'),
  restore: different(
    'post it once, to the leader, which restores all members; others answer 409 and name the leader. In 3.9.5, each member restores only its own tree. It needs the permissions of `snapshot`',
  ),
  set_trace_mask: different('changes nothing that is logged'),
  snapshot: different(
    'needs every permission on the root by an entry other than `world:anyone`, unless `admin.anyoneMayTransfer=true`; in 3.9.5, any permission is enough',
  ),
  system_properties: different('lists the options as properties, without secrets'),
};

export const METRICS: Entries = {
  learner_handler_qp_size: different('missing: no packet waits in a queue to a learner'),
  learner_handler_qp_time_ms: different('missing: no packet waits in a queue to a learner'),
};

export const TOOLS: Readonly<Record<string, Entry & { readonly here: string }>> = {
  'zkServer.sh': {
    ...different(
      'takes only the `-D` options of JVMFLAGS, also from zookeeper-env.sh and java.env; `print-cmd` prints a command of Node.js',
    ),
    here: 'zkserver',
  },
  'zkServer-initialize.sh': { ...SAME, here: 'zkserver init' },
  'zkCli.sh': { ...SAME, here: 'zksh --zkcli' },
  'zkCleanup.sh': { ...different('reads each snapshot before it counts it'), here: 'zkops clean' },
  'zkTxnLogToolkit.sh': { ...different('the output has another format'), here: 'zkops log' },
  'zkSnapShotToolkit.sh': {
    ...different('the output has another format, except that of -json (--ncdu)'),
    here: 'zkops snap',
  },
  'zkSnapshotComparer.sh': {
    ...different('the output has another format; not interactive'),
    here: 'zkops snap',
  },
  'zkSnapshotRecursiveSummaryToolkit.sh': {
    ...different('the output has another format'),
    here: 'zkops snap',
  },
  'zkEnv.sh': { ...different('no settings: the server has no JVM'), here: 'zkserver' },
};

/** @throws Error for an unknown tool */
export function toolEntry(tool: string): Entry & { readonly here: string } {
  const entry = TOOLS[tool];
  if (entry === undefined) throw new Error(`${tool}: no state`);
  return entry;
}

export const SHELL_COMMANDS: Entries = {};

const OCSP =
  'only responders with http://; without an answer, a list counts, and without that, a peer is refused';
const CRL =
  'lists come from http:// alone; PEM lists in the trust store come first, and none is fetched then';
const CLIENT_CRL = 'lists come from http:// alone';

export const CLIENT_KEYS: Entries = {
  'zookeeper.clientCnxnSocket': different('no effect: there is one kind of socket'),
  'zookeeper.fips-mode': different('no effect: names in certificates are always verified'),
  'zookeeper.kinit': different('no effect: a cache is read at each login, and never renewed'),
  'zookeeper.server.realm': different(
    'chooses the realm of the ticket, before [domain_realm] of krb5.conf, which Java prefers',
  ),
  'zookeeper.ssl.crl': different(CLIENT_CRL),
  'zookeeper.ssl.ocsp': different(OCSP),
  'zookeeper.ssl.context.supplier.class': refused('a client cannot run a Java class'),
  'zookeeper.ssl.protocol': different(
    'without it, TLS 1.2 and 1.3; in 3.9.5, TLS 1.3 alone on Java 11',
  ),
  'zookeeper.ssl.enabledProtocols': different('TLS 1.2 and 1.3 only; others are errors'),
  'zookeeper.ssl.allowReverseDnsLookup': different(
    'no effect: a name comes from the connect string',
  ),
  'zookeeper.ssl.authProvider': different('no effect: it is for servers'),
  'zookeeper.ssl.clientAuth': different('no effect: it is for servers'),
  'zookeeper.ssl.clientHostnameVerification': different('no effect: it is for servers'),
  'zookeeper.ssl.handshakeDetectionTimeoutMillis': different('no effect: it is for servers'),
  'zookeeper.ssl.sslProvider': different('no effect: TLS is that of Node.js'),
};

/** Keys whose option works, but not as in 3.9.5. */
export const KEYS: Entries = {
  'admin.needClientAuth': different('true by default; in 3.9.5 it is false'),
  clientPortListenBacklog: different('4096 by default; in 3.9.5 it is 50'),
  dataLogDir: different(
    'a missing folder beside a `dataDir` with snapshots is refused; 3.9.5 makes it, and lacks the txns of the log',
  ),
  snapCount: different(
    'if neither it nor `snapSizeLimitInKb` is set, a snapshot also waits until the log has grown to a quarter to half of the tree; 3.9.5 writes one every 50,000 to 100,000 txns',
  ),
  enforceQuota: different(
    'requests in flight and the earlier operations of a multi count, too; 3.9.5 counts only applied ones',
  ),
  'fips-mode': different(
    'ssl.quorum.hostnameVerification=true verifies names even then; DIGEST-MD5 stays available',
  ),
  'java.security.auth.login.config': different(
    'DigestLoginModule, or Krb5LoginModule with a keytab or a FILE cache and AES; others are errors',
  ),
  'metricsProvider.className': different("Apache's own providers only"),
  'metricsProvider.exportJvmInfo': different(
    'exports the metrics of Node.js, and of Java only the heap: jvm_memory_bytes_*',
  ),
  oraclePath: different(
    'see [Two servers and an oracle](ensembles.md#two-servers-and-an-oracle): not with groups; a server that hears the other never leads alone; a reconfig needs a quorum without the oracle',
  ),
  'ssl.authProvider': refused('any provider except x509 is an error'),
  'ssl.crl': different(CRL),
  'ssl.keyStore.type': different('PEM, PKCS12, and JKS; BCFKS is refused'),
  'ssl.ocsp': different(OCSP),
  'ssl.protocol': different('without it, TLS 1.2 and 1.3; in 3.9.5, TLS 1.3 alone on Java 11'),
  'ssl.quorum.crl': different(CRL),
  'ssl.quorum.keyStore.type': different('PEM, PKCS12, and JKS; BCFKS is refused'),
  'ssl.quorum.ocsp': different(OCSP),
  'ssl.quorum.trustStore.type': different('PEM, PKCS12, and JKS; BCFKS is refused'),
  'ssl.trustStore.type': different('PEM, PKCS12, and JKS; BCFKS is refused'),
};

const FAMILIES: Entries = {
  'authProvider.N': different(
    "Apache's classes for ip, digest, x509, sasl, and ensemble; others are errors",
  ),
  'group.N': SAME,
  'server.N': SAME,
  'superUser.N': SAME,
  'weight.N': SAME,
};

/** The state of a key of zoo.cfg. @throws Error for an unknown one */
export function keyEntry(key: string): Entry {
  const own = FAMILIES[key] ?? KEYS[key];
  if (own !== undefined) return own;
  const option: Option<unknown> | undefined = Object.values(OPTIONS).find(
    (each) => each.key === key || each.property === `zookeeper.${key}`,
  );
  if (option === undefined) {
    const unread = unreadKey(key);
    if (unread === undefined) throw new Error(`${key}: no state`);
    return unread.isRefused === true ? refused(unread.why) : different(`${NO_EFFECT}${unread.why}`);
  }
  if (option.status === 'refused') return refused(option.why);
  return option.status === 'no effect' ? different(`${NO_EFFECT}${option.why}`) : SAME;
}

/** @param zero the metrics that stay zero, from metrics.md */
export function metricEntry(metric: string, zero: ReadonlySet<string>): Entry {
  if (zero.has(metric)) return different('always zero');
  return METRICS[metric] ?? SAME;
}

export function entryOf(entries: Entries, name: string): Entry {
  return entries[name] ?? SAME;
}
