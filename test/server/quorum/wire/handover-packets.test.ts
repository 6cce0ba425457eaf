import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  claimsData,
  handoverData,
  readClaims,
  readHandover,
} from '../../../../src/server/quorum/wire/handover-packets.js';

const IDS = [1n, -1n, 0x1a3185c51440001n];

test('both packets are read as they were written', () => {
  for (const ids of [[], IDS]) {
    assert.equal(readClaims(claimsData(ids)), ids);
    const handover = { sid: 3, elsewhere: ids };
    assert.equal(readHandover(handoverData(handover)), handover);
  }
  const nobody = { sid: 255, elsewhere: null };
  assert.equal(readHandover(handoverData(nobody)), nobody);
});

test('a learner with very many sessions names none', () => {
  const ids = Array.from({ length: 65_537 }, (_, at) => BigInt(at));
  assert.is(claimsData(ids), null);
  assert.is(readClaims(claimsData(ids)), null);
  assert.is(readClaims(claimsData(ids.slice(1)))?.length, 65_536);
});

test('damaged data is refused', () => {
  const whole = handoverData({ sid: 3, elsewhere: IDS });
  for (let length = 0; length < whole.length; length++) {
    const isWhole = length >= 9 && (length - 9) % 8 === 0;
    assert.is(readHandover(whole.subarray(0, length)) !== undefined, isWhole, `${length}`);
  }
  assert.is(readHandover(null), undefined);
  assert.is(readClaims(Buffer.alloc(7)), null);
});

test.run();
