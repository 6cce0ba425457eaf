/** Both servers accept and refuse the same clients by version, certificate, and name. */
import { test } from 'uvu';
import { type Credentials, makeAuthority } from '../support/certs.js';
import { isOracle39, ORACLE, oracleTest } from '../support/oracle.js';
import { makeTlsFiles, type TlsFiles } from '../support/tls-world.js';
import { assertVerdicts, type TlsClient } from './support/tls-verdicts.js';

type Pair = Pick<Credentials, 'cert' | 'key'>;

const pairOf = ({ cert, key }: Credentials): Pair => ({ cert, key });

function withFiles(run: (files: TlsFiles) => Promise<void>): () => Promise<void> {
  return async () => {
    const files = makeTlsFiles();
    try {
      await run(files);
    } finally {
      files.remove();
    }
  };
}

for (const [option, is12, is13] of [
  ['ssl.protocol=TLSv1.2', true, false],
  ['ssl.protocol=TLSv1.3', false, true],
  ['ssl.enabledProtocols=TLSv1.2', true, false],
  ['ssl.enabledProtocols=TLSv1.3', false, true],
  ['ssl.enabledProtocols=TLSv1.2,TLSv1.3', true, true],
] as const) {
  oracleTest(
    `the bundled server and ${ORACLE} agree about versions of TLS with ${option}`,
    withFiles(async (files) => {
      const [key = '', value = ''] = option.split('=');
      const own = pairOf(files.client);
      const clients: Record<string, TlsClient> = {
        'TLS 1.2': { ...own, maxVersion: 'TLSv1.2' },
        'TLS 1.3': { ...own, minVersion: 'TLSv1.3' },
      };
      // 3.8 has no suites of TLS 1.3 by default.
      const suites = 'TLS_AES_128_GCM_SHA256,TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256';
      const config = { [key]: value, 'ssl.ciphersuites': suites };
      await assertVerdicts({ files, config }, clients, {
        'TLS 1.2': is12 ? 'imok' : '',
        'TLS 1.3': is13 ? 'imok' : '',
      });
    }),
  );
}

oracleTest(
  `without an option, the bundled server takes TLS 1.2 and 1.3, and ${ORACLE} only one`,
  withFiles(async (files) => {
    const own = pairOf(files.client);
    const clients: Record<string, TlsClient> = {
      'TLS 1.2': { ...own, maxVersion: 'TLSv1.2' },
      'TLS 1.3': { ...own, minVersion: 'TLSv1.3' },
    };
    const old = { 'TLS 1.2': 'imok', 'TLS 1.3': '' } as const;
    const apache = isOracle39 ? ({ 'TLS 1.2': '', 'TLS 1.3': 'imok' } as const) : old;
    await assertVerdicts({ files, config: {} }, clients, apache, {
      'TLS 1.2': 'imok',
      'TLS 1.3': 'imok',
    });
  }),
);

for (const [clientAuth, without] of [
  ['need', ''],
  ['want', 'imok'],
  ['none', 'imok'],
] as const) {
  oracleTest(
    `the bundled server and ${ORACLE} agree about certificates with ssl.clientAuth=${clientAuth}`,
    withFiles(async (files) => {
      const clients = {
        'no certificate': {},
        'of the authority': pairOf(files.client),
        'of a stranger': pairOf(makeAuthority('Stranger').issue({ names: ['localhost'] })),
      };
      await assertVerdicts({ files, config: { 'ssl.clientAuth': clientAuth } }, clients, {
        'no certificate': without,
        'of the authority': 'imok',
        'of a stranger': clientAuth === 'none' ? 'imok' : '',
      });
    }),
  );
}

oracleTest(
  `the bundled server checks names of clients as 3.9.5 does; ${ORACLE} has no such option`,
  withFiles(async (files) => {
    const issue = (...names: readonly string[]) => pairOf(files.authority.issue({ names }));
    const clients = {
      'its address': issue('127.0.0.1'),
      'its name by reverse lookup': issue('localhost'),
      'another address': issue('127.0.0.9'),
      'another name': issue('other.example.org'),
      'many names': issue('other.example.org', '127.0.0.1'),
      'only a subject': pairOf(files.client),
    };
    const names = Object.keys(clients);
    const all = Object.fromEntries(names.map((name) => [name, 'imok' as const]));
    for (const allowReverseDnsLookup of ['true', 'false']) {
      const config = {
        'ssl.clientHostnameVerification': 'true',
        'ssl.allowReverseDnsLookup': allowReverseDnsLookup,
        'fips-mode': 'false',
      };
      await assertVerdicts({ files, config }, clients, all, {
        'its address': 'imok',
        'its name by reverse lookup': allowReverseDnsLookup === 'true' ? 'imok' : '',
        'another address': '',
        'another name': '',
        'many names': 'imok',
        'only a subject': '',
      });
    }
  }),
);

test.run();
