/** Both servers accept and refuse the same clients by version, certificate, and name. */
import { test } from 'uvu';
import { isOracle39, ORACLE, oracleTest } from '../support/apache/oracle.js';
import { makeTlsFiles, type TlsFiles } from '../support/tls/tls-world.js';
import {
  assertVerdicts,
  certifiedClients,
  namedClients,
  SUITES,
  versionClients,
} from './support/tls-verdicts.js';

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
      const config = { [key]: value, 'ssl.ciphersuites': SUITES };
      await assertVerdicts({ files, config }, versionClients(files), {
        'TLS 1.2': is12 ? 'imok' : '',
        'TLS 1.3': is13 ? 'imok' : '',
      });
    }),
  );
}

oracleTest(
  `without an option, the bundled server takes TLS 1.2 and 1.3, and ${ORACLE} only one`,
  withFiles(async (files) => {
    const old = { 'TLS 1.2': 'imok', 'TLS 1.3': '' } as const;
    const apache = isOracle39 ? ({ 'TLS 1.2': '', 'TLS 1.3': 'imok' } as const) : old;
    await assertVerdicts({ files, config: {} }, versionClients(files), apache, {
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
      await assertVerdicts(
        { files, config: { 'ssl.clientAuth': clientAuth } },
        certifiedClients(files),
        {
          'no certificate': without,
          'of the authority': 'imok',
          'of a stranger': clientAuth === 'none' ? 'imok' : '',
        },
      );
    }),
  );
}

oracleTest(
  `the bundled server checks names of clients as 3.9.5 does; ${ORACLE} has no such option`,
  withFiles(async (files) => {
    const clients = namedClients(files);
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
