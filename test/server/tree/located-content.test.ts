import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OutputArchive } from '../../../src/jute/output-archive.js';
import { LocatedContent } from '../../../src/server/tree/located-content.js';

const START = 4;
const HEAD_SIZE = 4;

for (let dataLength = 0; dataLength < 9; dataLength++) {
  test(`the last content of a chunk is written without a byte after it: ${dataLength} bytes`, () => {
    const path = '/abcde';
    const data = 'datadatad'.slice(0, dataLength);
    const chunk = Buffer.from(new ArrayBuffer(START + HEAD_SIZE + path.length + dataLength));
    const content = new LocatedContent();
    content.moveTo(chunk, new DataView(chunk.buffer), START);
    content.setHead(path.length, false, false);
    assert.ok(content.putAscii(path));
    content.putData(data);
    const both = new OutputArchive();
    content.writeBoth(both, dataLength);
    const inTurn = new OutputArchive();
    content.writePath(inTurn, 0);
    content.writeData(inTurn, dataLength);
    const text = `\0\0\0\x06${path}\0\0\0${String.fromCharCode(dataLength)}${data}`;
    assert.is(both.take().toString('latin1'), text);
    assert.is(inTurn.take().toString('latin1'), text);
  });
}

test.run();
