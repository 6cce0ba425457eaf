import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DerError, readItem } from '../../../src/certificates/der-reader.js';
import { readKeyStore, readTrustStore, StoreError } from '../../../src/certificates/key-store.js';
import { Pkcs12Error, readPkcs12 } from '../../../src/certificates/pkcs12.js';
import { decodeEpoch, encodeEpoch, resolveEpochs } from '../../../src/files/epochs.js';
import { writeSnapshot } from '../../../src/files/snapshot.js';
import { SnapshotReader } from '../../../src/files/snapshot-reader.js';
import { readTxn, writeTxn } from '../../../src/files/txn.js';
import { beginEntry, encodeLogHeader, endEntry, TxnLogReader } from '../../../src/files/txn-log.js';
import { JuteError } from '../../../src/jute/jute-error.js';
import { OutputArchive } from '../../../src/jute/output-archive.js';
import { feedSnapshot } from '../../../src/server/persistence/feed-snapshot.js';
import { Database } from '../../../src/server/persistence/replay.js';
import { makeAuthority } from '../../support/tls/certs.js';
import { expectSame, Finding, parseOrRefuse, type Target } from '../target.js';

const MAX_ENTRY = 1 << 20;
/** A reader may not return more items than the input has bytes. */
const ITEMS_PER_BYTE = 2;

function checkCount(items: number, input: Buffer): void {
  if (items <= (input.length + 8) * ITEMS_PER_BYTE) return;
  throw new Finding(`${input.length} bytes give ${items} items`);
}

function logOf(entries: readonly Buffer[]): Buffer {
  const out = new OutputArchive();
  out.writeBytes(encodeLogHeader());
  for (const entry of entries) {
    const start = beginEntry(out);
    out.writeBytes(entry);
    endEntry(out, start);
  }
  return out.take();
}

function entryOf(zxid: bigint, txn: Parameters<typeof writeTxn>[2]): Buffer {
  const out = new OutputArchive();
  writeTxn(out, { sessionId: 0x100n, cxid: 1, zxid, time: 1n }, txn);
  return out.take();
}

/** The first two of epoch 1. */
export function txnEntries(): [Buffer, Buffer] {
  return [
    entryOf(0x100000001n, { type: -10, timeOut: 4000 } as never),
    entryOf(0x100000002n, { type: 2, path: '/a' } as never),
  ];
}

export const txnLog: Target = {
  name: 'txn-log',
  seeds: () => {
    const [one, two] = txnEntries();
    return [logOf([one]), logOf([one, two]), Buffer.concat([logOf([one]), Buffer.alloc(64)])];
  },
  run: (input) => {
    const reader = new TxnLogReader(MAX_ENTRY);
    const middle = input.length >> 1;
    reader.push(Buffer.from(input.subarray(0, middle)));
    let items = 0;
    for (let left = [input.subarray(middle)]; ; checkCount(++items, input)) {
      const item = reader.next();
      if (item.kind === 'entry') {
        parseOrRefuse(() => readTxn(item.entry), JuteError);
      } else if (item.kind !== 'need-more') {
        return;
      } else if (left.length > 0) {
        reader.push(Buffer.from(left[0] as Buffer));
        left = [];
      } else {
        reader.end();
      }
    }
  },
};

export function snapshotOf(): Buffer {
  const database = new Database({ isTTLEnabled: true });
  database.finishSnapshot(0n);
  const stat = Buffer.alloc(60);
  const chunks = writeSnapshot({
    sessions: [{ id: 0x100n, timeoutMs: 4000 }],
    acls: [{ key: 1n, acl: [{ perms: 31, id: { scheme: 'world', id: 'anyone' } }] }],
    nodes: [
      { path: '', data: null, aclKey: -1n, stat },
      { path: '/a', data: Buffer.from('data'), aclKey: 1n, stat },
    ],
  } as never);
  return Buffer.concat([...chunks]);
}

function readSnapshot(input: Buffer, form: 'file' | 'body'): void {
  const reader = new SnapshotReader(MAX_ENTRY, form);
  const database = new Database({ isTTLEnabled: true });
  const middle = input.length >> 1;
  reader.push(Buffer.from(input.subarray(0, middle)));
  if (feedSnapshot(database, reader).kind !== 'need-more') return;
  reader.push(Buffer.from(input.subarray(middle)));
  if (feedSnapshot(database, reader).kind !== 'need-more') return;
  reader.end();
  const fed = feedSnapshot(database, reader);
  if (fed.kind === 'need-more') throw new Finding('a complete snapshot requests more');
}

export const snapshot: Target = {
  name: 'snapshot',
  seeds: () => [snapshotOf(), snapshotOf().subarray(16)],
  words: ['/', '/zookeeper', 'world', 'anyone'],
  run: (input) => {
    readSnapshot(input, 'file');
    readSnapshot(input, 'body');
  },
};

export const epochFiles: Target = {
  name: 'epoch-files',
  seeds: () => [0, 1, 0x7fffffff].map((epoch) => Buffer.from(encodeEpoch(epoch))),
  words: ['4294967295', '-1', '0x1', '\r\n', '\ufeff'],
  maxLength: 256,
  run: (input) => {
    const text = input.toString();
    const epoch = decodeEpoch(text);
    if (epoch !== undefined) expectSame(decodeEpoch(encodeEpoch(epoch)), epoch, 'the epoch again');
    const [acceptedEpoch = '', currentEpoch = null, temporary = null] = text.split('|');
    const files = { acceptedEpoch, currentEpoch, currentEpochTemporary: temporary };
    resolveEpochs(files, 0x200000003n);
  },
};

export const keyStores: Target = {
  name: 'key-stores',
  // An operator's own file may require many rounds of hashing.
  slowMs: 10_000,
  seeds: () => {
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const key = privateKey.export({ format: 'der', type: 'pkcs8' });
    const safe = Buffer.concat([Buffer.from([0x30, key.length]), key]);
    return [key, safe, Buffer.from('3003020103', 'hex'), Buffer.from('30800201030000', 'hex')];
  },
  words: [Buffer.from('06092a864886f70d010701', 'hex'), Buffer.from('a0', 'hex')],
  run: (input) => {
    parseOrRefuse(() => readItem(Buffer.from(input)), DerError);
    parseOrRefuse(() => readPkcs12(Buffer.from(input), 'password'), Pkcs12Error);
  },
};

let pemFile = '';

/** PEM stores are read only from files, so each input is written to one. */
export const pemStores: Target = {
  name: 'pem-stores',
  seeds: () => {
    const authority = makeAuthority();
    const { both, cert, key } = authority.issue({ names: ['localhost'] });
    return [both, cert + authority.cert, key, authority.revoke()].map((text) => Buffer.from(text));
  },
  words: ['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----', 'ENCRYPTED ', 'X509 CRL'],
  slowMs: 10_000,
  run: (input) => {
    if (pemFile === '') {
      const folder = mkdtempSync(join(tmpdir(), 'fuzz-pem-'));
      process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
      pemFile = join(folder, 'store.pem');
    }
    writeFileSync(pemFile, input);
    const store = { location: pemFile, password: 'password', type: 'PEM' } as const;
    parseOrRefuse(() => readKeyStore(store), StoreError);
    parseOrRefuse(() => readTrustStore(store), StoreError);
  },
};
