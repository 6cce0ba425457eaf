/**
 * The state of every name of Apache ZooKeeper 3.9.5 here, for docs/compatibility.md. A name without
 * an entry in DIFFERENT is the same as in 3.9.5; the states of keys and metrics come from the code.
 */
import { OPTIONS } from '../../src/server/config/config-keys.js';
import { unreadKey } from '../../src/server/config/config-keys-unread.js';
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
const refused = (how: string): Entry => ({ state: 'refused', how });

export const OPERATIONS: Entries = {
  setACL: different('an ACL of more than 5000 entries is INVALIDACL, also in a create'),
  sasl: different('Kerberos (GSSAPI) needs AES; DES and RC4 are refused'),
  deleteContainer: refused('from a client, since it bypasses the ACL'),
  createSession: refused('as a request of a client; servers send it to each other'),
  multiRead: different(
    'a reply above 64 MiB, or with more than 250,000 children, is MARSHALLINGERROR; 3.9.5 builds it in memory',
  ),
  getAllChildrenNumber: different(
    'above 1000 znodes, the number may include a part of what other clients change meanwhile',
  ),
  createTTL: different('a mode without a TTL, or a negative TTL, is a bad argument'),
};

export const WORDS_HERE: Entries = {
  envi: different('the names of the JVM describe Node.js'),
  mntr: different('a few metrics stay zero: see metrics.md'),
};

export const COMMANDS: Entries = {
  dump: different('expiry is in milliseconds since 1970, not of an internal clock'),
  environment: different('the names of the JVM describe Node.js'),
  initial_configuration: different(
    'lists the options that differ from their defaults, without secrets; answers while the server does not serve, too; a member of an ensemble of 3.9.5 has none',
  ),
  monitor: different('answers while the server does not serve; 3.9.5 fails with status 500'),
  restore: different(
    'needs every permission on the root, by an entry for the client, unless admin.anyoneMayTransfer=true; post it once, to the leader, which restores all members: in 3.9.5 each one restores its own tree, so until the last one, members answer from different trees; others answer 409 and name the leader',
  ),
  set_trace_mask: different('changes nothing that is logged'),
  snapshot: different(
    'needs every permission on the root, by an entry for the client, unless admin.anyoneMayTransfer=true; in 3.9.5, any permission is enough, also one that everyone has',
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
      'finds zoo.cfg by ZOOCFGDIR and ZOOCFG; takes only -D of JVMFLAGS, also from zookeeper-env.sh and java.env; print-cmd prints a command of Node.js',
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

export const PAGES: Readonly<Record<string, Entry & { readonly here: string }>> = {
  'index.md': { ...SAME, here: 'README.md' },
  'javaExample.md': { ...different('the library is for JavaScript'), here: 'library.md' },
  'recipes.md': { ...SAME, here: 'recipes.md' },
  'releasenotes.md': { ...SAME, here: '../CHANGELOG.md' },
  'zookeeperAdmin.md': {
    ...different('see the keys, words, and commands above'),
    here: 'server.md',
  },
  'zookeeperAuditLogs.md': {
    ...different('the audit log has one format'),
    here: '../man/zkserver.8',
  },
  'zookeeperCLI.md': { ...SAME, here: 'zksh.md' },
  'zookeeperHierarchicalQuorums.md': { ...SAME, here: 'server.md' },
  'zookeeperInternals.md': { ...SAME, here: 'protocol.md' },
  'zookeeperJMX.md': {
    ...refused('no JVM: use metrics and the AdminServer'),
    here: 'metrics.md',
  },
  'zookeeperMonitor.md': { ...different('a few metrics stay zero'), here: 'metrics.md' },
  'zookeeperObservers.md': { ...SAME, here: 'server.md' },
  'zookeeperOracleQuorums.md': {
    ...different('see oraclePath above'),
    here: 'server.md',
  },
  'zookeeperOver.md': { ...SAME, here: 'protocol.md' },
  'zookeeperProgrammers.md': { ...SAME, here: 'library.md' },
  'zookeeperQuotas.md': { ...SAME, here: 'zksh.md' },
  'zookeeperReconfig.md': { ...SAME, here: 'server.md' },
  'zookeeperSnapshotAndRestore.md': {
    ...different('the leader restores all members, and others refuse it'),
    here: 'server.md',
  },
  'zookeeperStarted.md': { ...SAME, here: 'server.md' },
  'zookeeperTools.md': { ...different('see the tools above'), here: 'zkops.md' },
  'zookeeperTutorial.md': { ...different('the library is for JavaScript'), here: 'library.md' },
  'zookeeperUseCases.md': { ...different('no copy of this page'), here: 'README.md' },
};

/** Keys whose option works, but not as in 3.9.5. */
export const KEYS: Entries = {
  'admin.needClientAuth': different('true by default; in 3.9.5 it is false'),
  clientPortListenBacklog: different('4096 by default; in 3.9.5 it is 50'),
  enforceQuota: different(
    'the earlier operations of a multi count, too, and the requests in flight; 3.9.5 counts only applied ones',
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
    'not with groups; "1" must be the only character; a server that hears the other never leads alone; a reconfig needs a quorum of the new members without the oracle',
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
    return unread.isRefused === true ? refused(unread.why) : different(`no effect: ${unread.why}`);
  }
  if (option.status === 'refused') return refused(option.why);
  return option.status === 'no effect' ? different(`no effect: ${option.why}`) : SAME;
}

/** @param zero the metrics that stay zero, from metrics.md */
export function metricEntry(metric: string, zero: ReadonlySet<string>): Entry {
  if (zero.has(metric)) return different('always zero');
  return METRICS[metric] ?? SAME;
}

export function entryOf(entries: Entries, name: string): Entry {
  return entries[name] ?? SAME;
}
