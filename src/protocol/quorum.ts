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

/** Sent without an outer length; null data and null authinfo are -1. */
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

/** A constant of org.apache.zookeeper.server.quorum: zookeeper.jute declares only the record. */
export const SNAP_STREAM_SIGNATURE = 'BenWasHere';
export const SnapStreamSignature = record('SnapStreamSignature', { signature: ustring });
