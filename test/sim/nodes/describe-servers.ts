import type { ServerNode } from './server-node.js';

/** For the message of a violation: what each server is doing, and its last note. */
export function describeServers(servers: readonly ServerNode[]): string {
  return servers
    .map(({ sid, peer, lastReal, notes }) => {
      const role = peer === null ? 'down' : `${peer.role?.kind} ${peer.role?.phase}`;
      return `server ${sid} is ${role} at ${lastReal.toString(16)} (${notes.at(-1)})`;
    })
    .join('; ');
}
