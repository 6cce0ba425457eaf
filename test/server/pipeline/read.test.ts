/** Which reads cost more than follows from their length. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { InputArchive } from '../../../src/jute/input-archive.js';
import { OpCode } from '../../../src/protocol/op-code.js';
import { ReadProcessor } from '../../../src/server/pipeline/read.js';
import { WatchNotifier } from '../../../src/server/pipeline/watch-notifier.js';
import { ByteBuilder } from '../../support/bytes/byte-builder.js';
import { ServerWorld } from '../server-world.js';

const world = new ServerWorld();
const peer = world.client();
const { state } = world.server;
const reads = new ReadProcessor(state, new WatchNotifier(state));

/** Bytes of a request after others. */
function isDear(type: number, body: Buffer): boolean {
  return reads.isDear(type, new InputArchive(Buffer.concat([Buffer.alloc(9), body]), 9));
}

function create(...paths: string[]): void {
  for (const path of paths) peer.push(peer.create(path));
  world.ackAll();
}

const path = (text: string) => new ByteBuilder().string(text).bool(false).build();

test('some reads are dear whatever their length', () => {
  for (const type of [OpCode.getAllChildrenNumber, OpCode.getEphemerals, OpCode.multiRead]) {
    assert.is(isDear(type, Buffer.alloc(0)), true);
  }
  for (const type of [OpCode.getData, OpCode.exists, OpCode.getACL, OpCode.sync]) {
    assert.is(isDear(type, Buffer.alloc(10_000)), false);
  }
});

test('setWatches is dear above 4096 bytes', () => {
  for (const type of [OpCode.setWatches, OpCode.setWatches2]) {
    assert.is(isDear(type, Buffer.alloc(4096)), false);
    assert.is(isDear(type, Buffer.alloc(4097)), true);
  }
});

test('a list is dear with more than 100 children', () => {
  create('/few', '/many');
  for (let i = 0; i < 101; i++) create(`/many/${i}`);
  for (let i = 0; i < 100; i++) create(`/few/${i}`);
  for (const type of [OpCode.getChildren, OpCode.getChildren2]) {
    assert.is(isDear(type, path('/many')), true);
    assert.is(isDear(type, path('/few')), false);
    assert.is(isDear(type, path('/none')), false);
    assert.is(isDear(type, Buffer.alloc(0)), false);
    assert.is(isDear(type, Buffer.alloc(3)), false);
  }
});

test.run();
