import { test } from 'uvu';
import * as assert from 'uvu/assert';
import {
  bytesOfDraft,
  draftOf,
  formsOf,
  hexLines,
  textOf,
} from '../../../src/console/page/value-forms.js';
import { aclInWords, ago, sequenceOf, zkshLine } from '../../../src/console/page/words.js';

test('ACLs are sentences', () => {
  const words = [
    { scheme: 'world', id: 'anyone', perms: 'cdrwa' },
    { scheme: 'world', id: 'anyone', perms: 'r' },
    { scheme: 'digest', id: 'ana:hash', perms: 'crw' },
    { scheme: 'ip', id: '10.0.0.0/8', perms: 'rw' },
  ].map(aclInWords);
  assert.equal(words, [
    'anyone may do everything',
    'anyone may read',
    'user ana with the password may create children, read and write',
    'clients from 10.0.0.0/8 may read and write',
  ]);
});

test('times are distances', () => {
  const now = Date.parse('2026-01-02T00:00:00Z');
  const texts = ['2026-01-02T00:00:00Z', '2026-01-01T23:55:00Z', '2026-01-01T00:00:00Z', 'never'];
  assert.equal(
    texts.map((text) => ago(text, now)),
    ['now', '5 minutes ago', '1 day ago', 'never'],
  );
  assert.is(ago('2026-01-02T01:00:00Z', now), 'in 1 hour');
});

test('a command line survives the shell and the prompt', () => {
  const zk1 = { servers: 'zk1', tlsOptions: [] };
  const secure = { servers: 'zks://zk1', tlsOptions: ['--cacert', '/etc/my ca.pem'] };
  assert.is(
    zkshLine(secure, 'get', ['/a']),
    "zksh zks://zk1 -c 'get /a' --cacert '/etc/my ca.pem'",
  );
  assert.is(
    zkshLine({ servers: 'zk1:2181', tlsOptions: [] }, 'get', ['/a']),
    "zksh zk1:2181 -c 'get /a'",
  );
  const set = zkshLine(zk1, 'set', ['/a', '-v'], ['-v', '3']);
  assert.is(set, "zksh zk1 -c 'set -v 3 /a '\\''-v'\\'''", 'only the data is quoted');
  assert.is(zkshLine(zk1, 'get', ["/it's $(x)"]), `zksh zk1 -c 'get "/it'\\''s $(x)"'`);
});

test('sequential names end in a number', () => {
  assert.is(sequenceOf('_c_1f-lock-0000000012'), 12);
  assert.is(sequenceOf('n-2147483648'), 2147483648);
  assert.is(sequenceOf('plain'), undefined);
});

test('values have the forms that fit', () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  assert.equal(formsOf(bytes('{"a":1}')), ['json', 'text', 'hex']);
  assert.equal(formsOf(bytes('plain')), ['text', 'hex']);
  assert.equal(formsOf(Uint8Array.of(0xff, 0xd8, 0xff, 0xe0)), ['image', 'hex']);
  assert.equal(formsOf(Uint8Array.of(0, 1)), ['hex']);
  assert.is(textOf(Uint8Array.of(0xff)), undefined);
  assert.is(hexLines(bytes('ab')), `000000  61 62${' '.repeat(42)}  ab`);
});

test('an edited value keeps its bytes, whatever they are', () => {
  const samples = [
    '',
    'one\ntwo\n',
    'one\r\ntwo\r\n',
    'mixed\r\nends\n',
    'a\rb',
    '\ufeffbom',
    '\0',
  ];
  const all = samples.map((text) => Uint8Array.from(Buffer.from(text)));
  for (const bytes of [...all, Uint8Array.from({ length: 300 }, (_, at) => at % 256)]) {
    const draft = draftOf(bytes);
    assert.not.match(draft.text, /\r/, 'a browser would drop it');
    assert.equal(bytesOfDraft(draft), bytes);
  }
  const forms = samples.map((text) => draftOf(Buffer.from(text)).form);
  assert.equal(forms, ['text', 'text', 'text', 'hex', 'hex', 'text', 'hex']);
  const hex = { form: 'hex', end: '\n', text: ' 0A\n ff ' } as const;
  assert.equal(bytesOfDraft(hex), Uint8Array.of(10, 255));
  for (const text of ['0', '0g', '0 a 1'])
    assert.throws(() => bytesOfDraft({ ...hex, text }), /pairs/);
});

test.run();
