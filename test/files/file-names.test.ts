import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  logFileName,
  parseLogName,
  parseSnapshotName,
  snapshotFileName,
} from '../../src/files/file-names.js';

for (const [zxid, hex] of [
  [0n, '0'],
  [0xan, 'a'],
  [0x1_0000_0001n, '100000001'],
  [-1n, 'ffffffffffffffff'],
] as const) {
  test(`zxid ${zxid} is ${hex} in a name, and back`, () => {
    assert.is(logFileName(zxid), `log.${hex}`);
    assert.is(parseLogName(`log.${hex}`), zxid);
    assert.is(snapshotFileName(zxid), `snapshot.${hex}`);
    assert.equal(parseSnapshotName(`snapshot.${hex}`), { zxid, compression: 'none' });
    assert.is(snapshotFileName(zxid, 'gz'), `snapshot.${hex}.gz`);
    assert.equal(parseSnapshotName(`snapshot.${hex}.gz`), { zxid, compression: 'gz' });
    assert.equal(parseSnapshotName(`snapshot.${hex}.snappy`), { zxid, compression: 'snappy' });
  });
}

test('other names are not recognized', () => {
  for (const name of ['log.', 'log.xyz', 'log.1.tmp', 'xlog.1', 'log.12345678123456781', 'log']) {
    assert.is(parseLogName(name), undefined, name);
  }
  for (const name of ['snapshot.', 'snapshot.1.zip', 'snapshot.1.tmp', 'acceptedEpoch']) {
    assert.is(parseSnapshotName(name), undefined, name);
  }
});

test.run();
