import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { isStorable, makeVocabulary } from '../../../../src/commands/zksh/completing/vocabulary.js';
import { allCommands } from '../../../../src/commands/zksh/running/registry.js';

test('the vocabulary has every name and alias', async () => {
  const vocabulary = makeVocabulary(await allCommands());
  assert.is(vocabulary.find('ls')?.name, 'ls');
  assert.is(vocabulary.find('exit')?.name, 'quit');
  assert.is(vocabulary.find('constructor'), undefined);
  assert.ok(vocabulary.words.includes('addauth'));
});

test('secrets are never kept, in any context', async () => {
  const vocabulary = makeVocabulary(await allCommands());
  for (const line of [
    'ls /',
    'create /a "addauth digest"',
    'get /a; ls /',
    'setAcl /a auth::cdrwa',
    'setAcl /a digest:ann:4Lb+gTOeqUqSVdyCsRc2cUhQFI4=:cdrwa',
    'connect zk1:2181,[::1]:2181/app@home',
    'get /user:name@example',
  ]) {
    assert.ok(isStorable(line, vocabulary), line);
  }
  for (const line of [
    'addauth digest user:secret',
    'ls /; addauth digest user:secret',
    'ls /\naddauth digest user:secret',
    '"addauth" digest user:secret',
    'addauht digest user:secret',
    'addauth digest "user:sec',
    'frobnicate addauth digest user:secret',
    'setAcl /a digest:ann:secret:cdrwa',
    'create /a x world:anyone:r,digest:ann:secret:cdrwa',
    'connect ann:secret@zk1:2181',
    'connect zks://ann:secret@zk1:2181/app',
    ' ls /begins with a blank',
  ]) {
    assert.not.ok(isStorable(line, vocabulary), line);
  }
});

test.run();
