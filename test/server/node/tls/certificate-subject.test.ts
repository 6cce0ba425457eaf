import { X509Certificate } from 'node:crypto';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { certificateSubject } from '../../../../src/server/node/tls/tls-gate.js';
import { ia5Value, makeAuthority, type Subject } from '../../../support/tls/certs.js';

const authority = makeAuthority();

function subjectOf(subject: Subject): string {
  return certificateSubject(new X509Certificate(authority.issue({ subject }).cert).raw);
}

// Expected values from X500Principal.getName() of OpenJDK 17.
const CASES: readonly (readonly [subject: Subject, text: string])[] = [
  [[[['CN', 'client']]], 'CN=client'],
  [[[['C', 'DE']], [['O', 'Test']], [['CN', 'client']]], 'CN=client,O=Test,C=DE'],
  [[[['O', 'Acme, Inc. + "Söhne"']]], 'O=Acme\\, Inc. \\+ \\"Söhne\\"'],
  [[[['CN', ' two  blanks ']]], 'CN=\\ two  blanks\\ '],
  [[[['CN', '#a;b<c>=\\']]], 'CN=\\#a\\;b\\<c\\>\\=\\\\'],
  [[[['DC', 'org']], [['DC', 'example']], [['UID', 'u1']]], 'UID=u1,DC=example,DC=org'],
  [
    [[['1.2.840.113549.1.9.1', ia5Value('a@b.c')]], [['CN', 'x']]],
    'CN=x,1.2.840.113549.1.9.1=#16056140622e63',
  ],
  [
    [
      [
        ['CN', 'x'],
        ['OU', 'y'],
      ],
    ],
    'CN=x+OU=y',
  ],
];

for (const [subject, text] of CASES) {
  test(`the subject ${text}`, () => {
    assert.is(subjectOf(subject), text);
  });
}

test.run();
