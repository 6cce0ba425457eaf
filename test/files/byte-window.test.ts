import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { ByteWindow } from '../../src/files/byte-window.js';

/** Takes bytes as the readers do. */
function take(window: ByteWindow, length: number): string {
  const { bytes, at } = window;
  window.at += length;
  return bytes.toString('latin1', at, at + length);
}

for (const chunkLength of [1, 2, 3, 5, 64]) {
  test(`chunks of ${chunkLength} bytes: the offset is that of the first unread byte`, () => {
    const text = 'abcdefghijklmnopqrstuvwxyz';
    const window = new ByteWindow(100);
    let read = '';
    for (let from = 0; from < text.length; from += chunkLength) {
      const chunk = Buffer.from(text.slice(from, from + chunkLength));
      window.push(chunk);
      // Sometimes all of them, so that the next chunk is not copied.
      const wanted = from % 2 === 0 ? window.available : Math.min(2, window.available);
      read += take(window, wanted);
      assert.is(window.offset, 100 + read.length);
      if (window.available > 0) {
        window.settle();
        chunk.fill(0);
      }
      assert.is(window.offset, 100 + read.length);
    }
    read += take(window, window.available);
    assert.is(read, text);
    assert.is(window.offset, 100 + text.length);
  });
}

test.run();
