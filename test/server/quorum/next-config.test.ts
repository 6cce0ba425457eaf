import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OpCode } from '../../../src/protocol/op-code.js';
import {
  formatQuorumConfig,
  type QuorumConfig,
} from '../../../src/server/quorum/membership/quorum-config.js';
import { parse } from '../../sim/shape.js';
import { EnsembleWorld } from './worlds/ensemble-world.js';

// Members start with zoo.cfg.dynamic.next: a crash interrupted a reconfig (ReconfigRecoveryTest).

const PRESENT = 0x1_0000_0000n;
const NEXT = 0x2_0000_0000n;

function configOf(version: bigint, participants: readonly number[], observers: number[] = []) {
  const lineOf = (role: string) => (sid: number) =>
    `server.${sid}=127.0.0.${sid}:${1999 + sid}:${2999 + sid}:${role};${3999 + sid}`;
  const lines = [...participants.map(lineOf('participant')), ...observers.map(lineOf('observer'))];
  return parse([...lines, `version=${version.toString(16)}`].join('\n'));
}

function store(
  world: EnsembleWorld,
  sids: readonly number[],
  config: QuorumConfig,
  next: QuorumConfig | null = null,
): void {
  for (const sid of sids) Object.assign(world.member(sid).disk, { config, nextConfig: next });
}

function areServing(world: EnsembleWorld, sids: readonly number[]): void {
  world.until(() => sids.every((sid) => world.isServing(sid)), `${sids} serve`);
}

/** All of them have that configuration in force, and no file of a proposed one. */
function checkSettled(world: EnsembleWorld, sids: readonly number[], expected: QuorumConfig): void {
  for (const sid of sids) {
    const { peer, disk } = world.member(sid);
    assert.is(formatQuorumConfig(peer.membership.config), formatQuorumConfig(expected), `${sid}`);
    assert.is(peer.membership.next, null);
    assert.is(disk.config?.version, expected.version);
    assert.is(disk.nextConfig, null);
  }
}

test('without a quorum of the next membership, a quorum of the present one does not serve', () => {
  const world = new EnsembleWorld(5, 0, { initial: 5 });
  const present = configOf(PRESENT, [1, 2]);
  const next = configOf(NEXT, [1, 2, 3, 4, 5]);
  store(world, [1, 2], present, next);
  world.start(1, 2);
  world.pass(60_000);
  assert.not.ok(world.isServing(1) || world.isServing(2), world.describe());
  store(world, [3], configOf(0n, [1, 3]));
  world.start(3);
  areServing(world, [1, 2, 3]);
  checkSettled(world, [1, 2, 3], next);
});

test('the leader completes the reconfig, also with a server that knows nothing of it', () => {
  const world = new EnsembleWorld(3, 0, { initial: 3 });
  const next = configOf(NEXT, [1, 2, 3]);
  store(world, [1, 2], configOf(PRESENT, [1, 2]), next);
  world.start(1, 2);
  areServing(world, [1, 2]);
  checkSettled(world, [1, 2], next);
  store(world, [3], configOf(0n, [world.leader ?? 0, 3]));
  world.start(3);
  areServing(world, [1, 2, 3]);
  checkSettled(world, [3], next);
});

test('an observer becomes a participant, and the present participants are not in the next', () => {
  const world = new EnsembleWorld(4, 0, { initial: 4 });
  const next = configOf(NEXT, [3, 4]);
  store(world, [1, 2, 3], configOf(PRESENT, [1, 2], [3]), next);
  store(world, [4], configOf(0n, [1, 2, 4], [3]));
  world.start();
  areServing(world, [3, 4]);
  checkSettled(world, [3, 4], next);
});

test('one that hears that the next membership is in force joins it', () => {
  const world = new EnsembleWorld(5, 0, { initial: 5 });
  const next = configOf(NEXT, [1, 2, 3, 4, 5]);
  store(world, [3, 4, 5], next);
  world.start(3, 4, 5);
  areServing(world, [3, 4, 5]);
  const epoch = world.member(5).peer.currentEpoch;
  store(world, [1, 2], configOf(PRESENT, [1, 2]), next);
  world.start(1, 2);
  areServing(world, [1, 2]);
  checkSettled(world, [1, 2, 3, 4, 5], next);
  assert.is(world.member(1).peer.currentEpoch, epoch);
});

test('a file that is older than the membership in force counts for nothing', () => {
  const world = new EnsembleWorld(3, 0, { initial: 3 });
  const present = configOf(NEXT, [1, 2, 3]);
  store(world, [1, 2, 3], present, configOf(PRESENT, [1, 2, 3]));
  world.start(1, 2);
  areServing(world, [1, 2]);
  const { membership } = world.member(1).peer;
  assert.is(formatQuorumConfig(membership.config), formatQuorumConfig(present));
});

/** Asks 3, the leader, for a membership without 1, while the disks of these are held. */
function proposeWithout1(world: EnsembleWorld, held: readonly number[]): void {
  world.start();
  world.allServe();
  const leader = world.leader ?? 0;
  const client = world.client(leader);
  for (const sid of held) world.member(sid).isDiskHeld = true;
  const asked = { joiningServers: '', leavingServers: '1', newMembers: null, curConfigId: -1n };
  client.push(client.request(OpCode.reconfig, asked));
}

test('each member stores a proposed membership before it logs the txn, and discards it in the end', () => {
  const world = new EnsembleWorld(3, 0, { initial: 3 });
  proposeWithout1(world, [1, 2, 3]);
  for (const [sid, { disk, peer }] of world.members) {
    const logged = disk.entries.length;
    disk.work.shift()?.();
    assert.equal(disk.nextConfig, peer.membership.next, `${sid}`);
    assert.is(disk.nextConfig?.members.size, 2);
    assert.is(disk.entries.length, logged, 'the log comes after it');
  }
  const { nextConfig } = world.member(3).disk;
  assert.ok(nextConfig);
  for (const member of world.members.values()) member.isDiskHeld = false;
  world.settle();
  checkSettled(world, [2, 3], nextConfig);
});

test('a reconfig that only a file has, because of a crash before the log, comes into force', () => {
  const world = new EnsembleWorld(3, 0, { initial: 3 });
  proposeWithout1(world, [1, 2, 3]);
  for (const { disk } of world.members.values()) disk.work.shift()?.();
  const { nextConfig } = world.member(3).disk;
  assert.ok(nextConfig);
  for (const sid of world.members.keys()) world.crash(sid);
  for (const member of world.members.values()) member.isDiskHeld = false;
  world.start(2, 3);
  areServing(world, [2, 3]);
  checkSettled(world, [2, 3], nextConfig);
});

test('a reconfig that no history has is discarded on the disk, too', () => {
  const world = new EnsembleWorld(3, 0, { initial: 3 });
  proposeWithout1(world, [1, 2]);
  const { disk, peer } = world.member(3);
  assert.ok(disk.nextConfig);
  const { version } = peer.membership.config;
  for (const sid of world.members.keys()) world.crash(sid);
  for (const member of world.members.values()) member.isDiskHeld = false;
  world.start(1, 2);
  areServing(world, [1, 2]);
  world.start(3);
  areServing(world, [3]);
  assert.is(world.member(3).disk.nextConfig, null);
  assert.is(world.member(3).peer.membership.config.version, version);
});

test.run();
