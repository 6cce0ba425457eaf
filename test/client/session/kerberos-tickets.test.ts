import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { kerberos } from '../../../src/client/base/kerberos.js';
import { KerberosTickets, type LoginResult } from '../../../src/client/session/kerberos-tickets.js';
import { makeTempDir } from '../../support/machine/temp-dir.js';
import { waitFor } from '../../support/wait-for.js';

const SERVER = { host: 'localhost', port: 1 };

function makeTickets() {
  const home = makeTempDir('tickets');
  home.remove();
  return new KerberosTickets(kerberos({ ticketCache: '/c', krb5Conf: home.path }));
}

test('a file that is missing ends the first login, but not a session', async () => {
  const tickets = makeTickets();
  for (const hasSession of [false, true]) {
    const result = await new Promise<LoginResult>((done) => {
      tickets.begin(SERVER, hasSession, done);
    });
    const error = 'refused' in result ? result.refused : result;
    assert.instance(error, Error);
    assert.match(String(error), /Error: Kerberos: \/.*: ENOENT/);
    assert.is('refused' in result, !hasSession);
  }
});

test('a login that another one replaced, or that is over, reports nothing', async () => {
  const tickets = makeTickets();
  const said: string[] = [];
  tickets.begin(SERVER, true, () => said.push('first'));
  tickets.begin(SERVER, true, () => said.push('second'));
  await waitFor('the second', () => said.length > 0);
  tickets.begin(SERVER, true, () => said.push('third'));
  tickets.forget();
  await new Promise<void>((done) => {
    makeTickets().begin(SERVER, true, () => done());
  });
  assert.equal(said, ['second']);
});

test.run();
