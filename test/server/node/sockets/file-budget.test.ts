import { EventEmitter } from 'node:events';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { FileBudget } from '../../../../src/server/node/sockets/file-budget.js';

function takeAll(budget: FileBudget, isClient: boolean): EventEmitter[] {
  const sockets: EventEmitter[] = [];
  for (;;) {
    const socket = new EventEmitter();
    if (!budget.take(socket as never, isClient)) return sockets;
    sockets.push(socket);
  }
}

test('clients leave files to the log, and to other servers and operators', () => {
  for (const [files, reserved] of [
    [64, 32],
    [256, 96],
    [1024, 128],
    [65_536, 512],
  ] as const) {
    const budget = new FileBudget(files);
    assert.is(budget.reserved, reserved);
    assert.is(takeAll(budget, true).length, files - reserved);
    assert.is(takeAll(budget, false).length, reserved / 2);
    assert.is(takeAll(budget, true).length, 0);
  }
});

test('other servers alone leave files to the log, too', () => {
  assert.is(takeAll(new FileBudget(1024), false).length, 1024 - 64);
});

test('a closed connection gives its file back', () => {
  const budget = new FileBudget(256);
  const [first] = takeAll(budget, true);
  first?.emit('close');
  assert.is(takeAll(budget, true).length, 1);
});

test('without a known limit, nothing is refused', () => {
  const budget = new FileBudget(Number.POSITIVE_INFINITY);
  for (let at = 0; at < 1000; at++) assert.ok(budget.take(new EventEmitter() as never, true));
});

test.run();
