/** docs/runbook.md and the names of findings agree. The compiler checks the names in the source. */
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { REASONS } from '../../../../src/commands/ensemble/reasons.js';
import { FINDING_NAMES } from '../../../../src/commands/ensemble/verdict/finding-name.js';
import { THRESHOLDS } from '../../../../src/commands/ensemble/verdict/thresholds.js';
import { readProjectFile, readSources } from '../../../support/tidy/source-file.js';

const NAMES: readonly string[] = [
  ...FINDING_NAMES,
  ...REASONS.map((reason) => `member:${reason}`),
  ...THRESHOLDS.map(({ name }) => `limit:${name}`),
];

const entries = readProjectFile('docs/runbook.md')
  .split(/^### /m)
  .slice(1)
  .map((entry) => {
    const [name = '', ...lines] = entry.split(/^## /m)[0]?.trimEnd().split('\n') ?? [];
    return { name, lines };
  });

test('the runbook has one entry for each finding, and a finding for each entry', () => {
  assert.equal(entries.map(({ name }) => name).toSorted(), NAMES.toSorted());
});

test('each entry says what the finding means, what to look at, and what to do', () => {
  for (const { name, lines } of entries) {
    const starts = lines.map((line) => /^(?:- (?:Look|Do):|[A-Z`\d])/.exec(line)?.[0] ?? '');
    assert.match(lines[0] ?? '', /^[A-Z`]/, name);
    assert.equal(
      starts.filter((start) => start.startsWith('-')),
      ['- Look:', '- Do:'],
      name,
    );
  }
});

test('the source uses every name', () => {
  const text = readSources('src/commands')
    .filter(({ path }) => !path.endsWith('finding-name.ts'))
    .map((source) => source.text)
    .join('\n');
  // The ending of a log is part of its name.
  const made = ['torn-log', 'corrupt-log'];
  assert.equal(
    FINDING_NAMES.filter((name) => !made.includes(name) && !text.includes(`'${name}'`)),
    [],
  );
});

test.run();
