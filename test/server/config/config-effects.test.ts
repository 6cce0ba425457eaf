import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { OPTIONS } from '../../../src/server/config/config-keys.js';
import { parseConfig } from '../../../src/server/config/parse-config.js';

const BASE = 'dataDir=/var/zk\nclientPort=2181\n';
const OPTIONS_BY_KEY = new Map(Object.values(OPTIONS).map((option) => [option.key, option]));

/** @throws Error if there are errors where warnings are expected, or the other way around */
function textsOf(file: string, kind: 'errors' | 'warnings'): readonly string[] {
  const result = parseConfig(file, { fileName: 'zoo.cfg' });
  const isError = 'errors' in result;
  const texts = (isError ? result.errors : result.warnings).map(({ text }) => text);
  if (isError !== (kind === 'errors')) throw new Error(`no ${kind}: ${texts.join()}`);
  return texts;
}

for (const [line, error] of [
  ['emulate353TTLNodes=true', /emulate353TTLNodes: not supported: .* before you migrate$/],
] as const) {
  test(`refused: ${line}`, () => {
    const errors = textsOf(`${BASE}${line}\n`, 'errors');
    assert.is(errors.length, 1, errors.join('\n'));
    assert.match(errors[0] ?? '', error);
    const key = line.replace(/=.*/, '');
    const value = String(OPTIONS_BY_KEY.get(key)?.default ?? '');
    assert.equal(textsOf(`${BASE}${key}=${value}\n`, 'warnings'), [], 'its default');
  });
}

test('a warning says what oraclePath risks', () => {
  const warnings = textsOf(`${BASE}oraclePath=/mnt/oracle\n`, 'warnings');
  assert.is(warnings.length, 1);
  assert.match(warnings[0] ?? '', /oraclePath: while the file says 1, .* on its disk only$/);
});

test('a warning says which option decides whether names in certificates are checked', () => {
  const client = 'ssl.clientHostnameVerification=true\n';
  const off = 'ssl.hostnameVerification=false\n';
  const quorum = 'ssl.quorum.hostnameVerification=true\n';
  for (const [lines, warning] of [
    [client, undefined],
    [off, undefined],
    [client + off, /:3: ssl\.clientHostnameVerification: has no effect, because/],
    [quorum, undefined],
    [`sslQuorum=true\n${quorum}`, /:4: ssl\.quorum\.hostnameVerification: has an effect in fips/],
    [`portUnification=true\n${quorum}`, /:4: ssl\.quorum\.hostnameVerification: has an effect/],
    [`sslQuorum=true\nfips-mode=false\n${quorum}`, undefined],
  ] as const) {
    const warnings = textsOf(BASE + lines, 'warnings').join('\n');
    if (warning === undefined) assert.is(warnings, '', lines);
    else assert.match(warnings, warning);
  }
});

test.run();
