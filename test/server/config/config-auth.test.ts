import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { configFromOptions } from '../../../src/server/config/config.js';
import { parseConfig } from '../../../src/server/config/parse-config.js';

const APACHE = 'org.apache.zookeeper.server.auth';

function read(options: Record<string, string>) {
  const result = configFromOptions(options);
  if ('errors' in result) return { errors: result.errors.map(({ text }) => text) };
  const { schemes, enforced } = result.config.auth;
  return {
    schemes: [...schemes].sort().join(),
    enforced,
    warnings: result.warnings.map(({ text }) => text),
  };
}

test('ip and digest are always available, x509 with TLS', () => {
  assert.is(read({}).schemes, 'digest,ip');
  assert.is(read({ secureClientPort: '2281' }).schemes, 'digest,ip,x509');
  assert.is(read({ 'ssl.keyStore.location': '/key.pem' }).schemes, 'digest,ip,x509');
  assert.is(read({ 'DigestAuthenticationProvider.enabled': 'false' }).schemes, 'ip');
});

test('authProvider.N accepts the classes with an equivalent here', () => {
  const sasl = { 'authProvider.sasl': `${APACHE}.SASLAuthenticationProvider` };
  assert.equal(read(sasl), { schemes: 'digest,ip,sasl', enforced: null, warnings: [] });
  const ensemble = { 'authProvider.1': `${APACHE}.EnsembleAuthenticationProvider` };
  assert.is(read(ensemble).schemes, 'digest,ensemble,ip');
  const other = read({ 'authProvider.1': 'com.example.Other' });
  assert.is(other.errors?.length, 1);
  assert.match(
    other.errors?.[0] ?? '',
    /^config: authProvider\.1: unsupported class: com\.example\.Other \(expected/,
  );
});

test('enforced schemes must be available', () => {
  const enforced = { 'enforce.auth.enabled': 'true', 'enforce.auth.schemes': 'digest , ip' };
  assert.equal(read(enforced).enforced, ['digest', 'ip']);
  assert.is(read({ 'enforce.auth.schemes': 'digest' }).enforced, null);
  assert.equal(read({ 'enforce.auth.enabled': 'true' }).errors, [
    'config: enforce.auth.schemes: expected schemes separated by "," because enforce.auth.enabled is true',
  ]);
  assert.equal(read({ 'enforce.auth.enabled': 'true', 'enforce.auth.schemes': 'magic' }).errors, [
    'config: enforce.auth.schemes: no authProvider for scheme magic',
  ]);
  assert.equal(read({ sessionRequireClientSASLAuth: 'true' }).errors, [
    'config: sessionRequireClientSASLAuth: no authProvider for scheme sasl',
  ]);
});

const ENSEMBLE = `dataDir=/d
clientPort=1
initLimit=10
syncLimit=5
server.1=a:1:2
server.2=b:1:2
server.3=c:1:2
`;

/** The errors in these lines of an ensemble. */
function errorsOf(lines: string, properties: Record<string, string> = {}): string[] {
  const result = parseConfig(ENSEMBLE + lines, { fileName: 'zoo.cfg', properties });
  return 'errors' in result
    ? result.errors.map(({ text }) => text.replace(/^zoo\.cfg:\S* /, ''))
    : [];
}

test('SASL between servers needs a JAAS file, and requiring it needs enabling it', () => {
  const enabled = 'quorum.auth.enableSasl=true\n';
  const jaas = { 'java.security.auth.login.config': '/jaas.conf' };
  assert.equal(errorsOf(enabled, jaas), []);
  assert.match(errorsOf(enabled).join(), /needs a JAAS file \(-D java\.security/);
  assert.match(
    errorsOf('quorum.auth.learnerRequireSasl=true\n', jaas).join(),
    /learnerRequireSasl: needs quorum\.auth\.enableSasl=true/,
  );
  assert.match(
    errorsOf(`${enabled}quorum.auth.serverRequireSasl=true\n`, jaas).join(),
    /serverRequireSasl: needs quorum\.auth\.learnerRequireSasl=true/,
  );
  const all = 'quorum.auth.learnerRequireSasl=true\nquorum.auth.serverRequireSasl=true\n';
  assert.equal(errorsOf(enabled + all, jaas), []);
});

test.run();
