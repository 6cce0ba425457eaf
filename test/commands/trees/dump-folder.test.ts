import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { fileOf } from '../../../src/commands/trees/dump-folder.js';
import { Random } from '../../support/random.js';

test('the path of a znode gives the path of its data, with names that any file system accepts', () => {
  const cases = {
    '': 'tree.data',
    '/app': 'tree/app.data',
    '/app/Config_1.x-y': 'tree/app/Config_1.x-y.data',
    '/größe/値': 'tree/größe/値.data',
    '/a b/*': 'tree/a%20b/%2A.data',
    '/%41/\\': 'tree/%2541/%5C.data',
    '/.hidden/...': 'tree/%2Ehidden/%2E...data',
    '/a/x.data/y': 'tree/a/x%2Edata/y.data',
    '/😀/e\u0301': 'tree/%F0%9F%98%80/e%CC%81.data',
  };
  for (const [path, file] of Object.entries(cases)) assert.is(fileOf(path), file);
  assert.match(fileOf(`/${'x'.repeat(201)}`), /^long\/[0-9a-f]{64}\.data$/);
  assert.match(fileOf('/0123456789'.repeat(150)), /^long\/[0-9a-f]{64}\.data$/);
});

test('two znodes never share a file, and no file has the name of a folder', () => {
  const random = new Random(7);
  const parts = ['a', 'A', '.', '..', 'data', '%', '2E', 'e\u0301', 'é', '\u0001', ' ', '値', ':'];
  const paths = new Set<string>();
  for (let i = 0; i < 5000; i++) {
    let path = '';
    for (let depth = 1 + random.below(3); depth > 0; depth--) {
      let name = '';
      for (let length = 1 + random.below(4); length > 0; length--) {
        name += parts[random.below(parts.length)] ?? '';
      }
      path += `/${name}`;
    }
    paths.add(path);
  }
  const files = new Set([...paths].map(fileOf));
  assert.is(files.size, paths.size);
  for (const file of files) {
    assert.not.match(file, /(^|\/)\.|\/\/|[\0-\x20:]/);
    for (let at = file.lastIndexOf('/'); at !== -1; at = file.lastIndexOf('/', at - 1)) {
      assert.not.ok(files.has(file.slice(0, at)), file);
    }
  }
});

test.run();
