/** The zoo.cfg that `zkserver init DIR` writes, with comments for operators. */

import { join, resolve } from 'node:path';
import { escapeProperty } from '../../server/config/java-properties.js';
import { parseConfig } from '../../server/config/parse-config.js';
import { ExitCode } from '../program/exit-status.js';
import { quotedError, usageError } from './verb.js';

export interface NewServer {
  readonly folder: string;
  readonly clientPort: number;
  /** The hosts of all members, separated by commas; undefined for a standalone server. */
  readonly servers: string | undefined;
}

/** The Nth entry of `--servers` is server N. */
function serverLines(servers: string, clientPort: number): readonly string[] {
  return servers.split(',').map((entry, at) => {
    const text = entry.trim();
    const isWhole = text.replace(/^\[[^\]]*\]/, '').includes(':');
    return `server.${at + 1}=${isWhole ? text : `${text}:2888:3888;${clientPort}`}`;
  });
}

/** @throws CommandError for invalid servers or ports */
export function newConfig({ folder, clientPort, servers }: NewServer): string {
  const lines = servers === undefined ? [] : serverLines(servers, clientPort);
  const home = resolve(folder);
  const membership =
    lines.length === 0
      ? `# This server is standalone. For an ensemble, list every member on every member, as
# server.N=HOST:QUORUM_PORT:ELECTION_PORT;CLIENT_PORT, and write N to the file myid:
#server.1=zk1.example.org:2888:3888;2181
clientPort=${clientPort}`
      : `# All members: server.N=HOST:QUORUM_PORT:ELECTION_PORT;CLIENT_PORT. The file myid says which one
# this server is. Open the two quorum ports only between members.
${lines.join('\n')}`;
  const text = template(home, membership);
  const result = parseConfig(text, { fileName: 'zoo.cfg' });
  if (!('errors' in result)) return text;
  if (servers === undefined)
    throw quotedError(
      ExitCode.usage,
      result.errors.map((e) => e.text),
    );
  throw usageError(`--servers ${servers}: ${result.errors[0]?.message}`);
}

function template(home: string, membership: string): string {
  const at = (...names: string[]) => escapeProperty(join(home, ...names));
  return `# A ZooKeeper server. zoo.cfg(5) explains every key; Apache's server reads this file, too.

# Snapshots, and the file myid.
dataDir=${at('data')}
# The transaction log. Each write waits for its disk, so give it a fast one of its own.
dataLogDir=${at('log')}

${membership}
# The address for clients; without it, all addresses of this machine.
#clientPortAddress=10.0.0.1
# Clients of one address may open this many connections; 0 removes the limit.
maxClientCnxns=60

# The unit of all timeouts, in ms. Sessions last from 2 to 20 ticks.
tickTime=2000
# Ticks for a follower to connect and to copy the data of the leader. Raise it for large data.
initLimit=10
# Ticks that a follower may lag before the leader drops it.
syncLimit=5
# Let reconfig change the members while they serve. It needs the superuser or an ACL.
#reconfigEnabled=true

# Remove old snapshots and logs every 24 hours, and keep the newest 3.
autopurge.purgeInterval=24
autopurge.snapRetainCount=3

# What anyone who reaches the client port may ask. zkops uses these words.
4lw.commands.whitelist=ruok,srvr,stat,mntr,conf,cons,envi,isro,dirs,wchs,hash

# HTTP for operators, on this machine alone: its commands can change the server.
admin.serverAddress=127.0.0.1
admin.serverPort=8080
# Metrics for Prometheus at /metrics of this port.
#metricsProvider.className=org.apache.zookeeper.metrics.prometheus.PrometheusMetricsProvider
#metricsProvider.httpHost=127.0.0.1
#metricsProvider.httpPort=7000

# TLS for clients, and between members. The files are PEM, JKS, or PKCS12.
#secureClientPort=2281
#ssl.keyStore.location=${at('tls', 'server.pem')}
#ssl.trustStore.location=${at('tls', 'ca.pem')}
#sslQuorum=true
#ssl.quorum.keyStore.location=${at('tls', 'server.pem')}
#ssl.quorum.trustStore.location=${at('tls', 'ca.pem')}

# A line in the audit log for each change.
#audit.enable=true
`;
}
