import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { counted } from '../../../src/commands/program/counted.js';
import { PROJECT_ROOT } from '../../support/tidy/source-file.js';

test('one is singular, everything else plural', () => {
  assert.is(counted(1, 'byte'), '1 byte');
  assert.is(counted(1n, 'child', 'children'), '1 child');
  assert.is(counted(0, 'child', 'children'), '0 children');
  assert.is(counted(2, 'snapshot'), '2 snapshots');
});

/** A sum in a sentence, such as `${count} bytes`, but no ratio, such as `${up} of ${all}`. */
const SUM =
  /(?<! of )\$\{[^{}]+\} (bytes|znodes|snapshots|txns|rounds|sessions|connections|hosts|children|ACLs)\b/;
/** These have limits or lists, never one. */
const NEVER_ONE = [
  'not start',
  'exceeds jute.maxbuffer',
  'have the same',
  'expected',
  'more than the limit',
  'more than',
  'znodes differ',
  'the limit of',
  'members have',
  'the first',
  'records are',
  'txns since',
];

test('no text of a program counts one thing as several', () => {
  const found: string[] = [];
  for (const folder of ['src/commands', 'src/shell']) {
    for (const name of readdirSync(join(PROJECT_ROOT, folder), {
      recursive: true,
      encoding: 'utf8',
    })) {
      if (!/\.tsx?$/.test(name)) continue;
      const lines = readFileSync(join(PROJECT_ROOT, folder, name), 'utf8').split('\n');
      for (const line of lines) {
        const isFine = !SUM.test(line) || NEVER_ONE.some((words) => line.includes(words));
        if (!isFine) found.push(`${folder}/${name}: ${line.trim()}`);
      }
    }
  }
  assert.equal(found, []);
});

test.run();
