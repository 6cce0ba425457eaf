import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OPTIONS, UNREAD_KEYS } from '../../src/server/config/config-keys.js';
import { parseConfig } from '../../src/server/config/parse-config.js';
import { repositoryRoot } from '../fourlw/captured-view.js';
import { escapeRoff } from '../man/roff.js';
import { apacheNames, laterNames } from './apache.js';

const APACHE_KEYS = [...apacheNames().keys, ...laterNames().keys];
const PAGE = readFileSync(join(repositoryRoot(), 'man', 'zoo.cfg.5'), 'utf8');

test('zoo.cfg(5) names every key of 3.9.5 and 3.10', () => {
  const missing = APACHE_KEYS.filter((key) => {
    const shown = key.endsWith('.N') ? key.slice(0, -1) : key.replace(/^observer\.(?=sync)/, '');
    return !PAGE.includes(escapeRoff(shown));
  });
  assert.equal(missing, []);
});

test('no key of 3.9.5 or 3.10 is unknown to the server', () => {
  const unknown = APACHE_KEYS.filter((key) => !key.endsWith('.N')).filter((key) => {
    const result = parseConfig(`${key}=1\n`, { fileName: 'zoo.cfg' });
    const problems = 'errors' in result ? result.errors : result.warnings;
    return problems.some(({ message }) => message.startsWith('unknown key'));
  });
  assert.equal(unknown, []);
  for (const key of APACHE_KEYS.filter((each) => !each.endsWith('.N'))) {
    const isRead = Object.values(OPTIONS).some(
      (option) => option.key === key || option.property === `zookeeper.${key}`,
    );
    const isUnread = UNREAD_KEYS.some(({ keys }) => keys.includes(key));
    assert.is(isRead !== isUnread, true, `${key}: expected an option, or a reason for none`);
  }
});

test('every key without an option is one of 3.9.5 or 3.10', () => {
  const others = UNREAD_KEYS.flatMap(({ keys }) => keys).filter((k) => !APACHE_KEYS.includes(k));
  assert.equal(others, []);
});

test.run();
