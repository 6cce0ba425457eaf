/** Module org.apache.zookeeper.server.quorum of zookeeper.jute. */
import {
  buffer,
  int,
  long,
  nullable,
  record,
  type TypeOf,
  ustring,
  vector,
} from '../jute/record.js';
import { Id } from './data.js';

export const LearnerInfo = record('LearnerInfo', {
  serverid: long,
  protocolVersion: int,
  configVersion: long,
});
export type LearnerInfo = TypeOf<typeof LearnerInfo>;

/** Travels without an outer length; null data and null authinfo are -1. */
export const QuorumPacket = record('QuorumPacket', {
  type: int,
  zxid: long,
  data: buffer,
  authinfo: nullable(vector(Id)),
});
export type QuorumPacket = TypeOf<typeof QuorumPacket>;

export const QuorumAuthPacket = record('QuorumAuthPacket', {
  magic: long,
  status: int,
  token: buffer,
});
export type QuorumAuthPacket = TypeOf<typeof QuorumAuthPacket>;

/**
 * Module org.apache.zookeeper.server.quorum has it as a string; only its name is in zookeeper.jute.
 */
export const SNAP_STREAM_SIGNATURE = 'BenWasHere';
export const SnapStreamSignature = record('SnapStreamSignature', { signature: ustring });
