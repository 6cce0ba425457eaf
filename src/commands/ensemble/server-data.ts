import { formatZxid } from '../../protocol/zxid.js';
import { type Member, serverOf } from './member.js';

export function serverData(member: Member): Readonly<Record<string, unknown>> {
  const server = serverOf(member);
  if (server === undefined) return {};
  return {
    version: server.version,
    isReadOnly: server.isReadOnly,
    latencyMs: server.latencyMs,
    received: server.received,
    sent: server.sent,
    connections: server.connections,
    outstanding: server.outstanding,
    zxid: server.zxid === undefined ? undefined : formatZxid(server.zxid),
    mode: server.mode,
    nodeCount: server.nodeCount,
    proposalSizes: server.proposalSizes,
    unknown: server.unknown,
  };
}
