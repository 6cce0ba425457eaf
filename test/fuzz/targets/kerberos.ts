/** What KDCs and servers send to a client of Kerberos, and the files that it reads. */
import { parseCredentialCache } from '../../../src/kerberos/ccache.js';
import {
  type Conversation,
  getInitialTicket,
  getServiceTicket,
} from '../../../src/kerberos/get-ticket.js';
import { readInitialToken, TokenId } from '../../../src/kerberos/gss-token.js';
import { GssapiClient } from '../../../src/kerberos/gssapi-client.js';
import { readKdcReplyPart } from '../../../src/kerberos/kdc-messages.js';
import { KerberosError } from '../../../src/kerberos/kerberos-error.js';
import { parseKeytab } from '../../../src/kerberos/keytab.js';
import { parseKrb5Conf } from '../../../src/kerberos/krb5-conf.js';
import {
  readApReplyPart,
  readApRequest,
  readAuthenticator,
  readTicketPart,
} from '../../../src/kerberos/messages.js';
import { namesOf } from '../../../src/kerberos/principal.js';
import {
  CLIENT_KEY,
  credentialsOf,
  INITIAL_SERVICE,
  makeError,
  makeReply,
} from '../../kerberos/fake-kdc.js';
import { makeCache } from '../../kerberos/make-cache.js';
import {
  makeKeytab,
  makeLogin,
  makeTicket,
  NOW_MS,
  REALM,
  SERVICE,
} from '../../kerberos/make-login.js';
import { expectSame, Finding, parseOrRefuse, type Target } from '../target.js';

const OPTIONS = { enctypes: [18, 17], now: () => NOW_MS };
const ALICE = namesOf(`alice@${REALM}`);
const KEYS = [{ principal: `alice@${REALM}`, version: 1, key: CLIENT_KEY }];
const initial = { ...credentialsOf(), service: `${INITIAL_SERVICE}@${REALM}` };

/** A stranger does not know the nonce, so no answer of it may give a ticket. */
function refuse(conversation: Conversation, answer: Buffer): void {
  conversation.next();
  const step = parseOrRefuse(() => conversation.next(answer), KerberosError);
  if (step?.done === true) throw new Finding('a ticket without the nonce');
}

/** Each input is an answer to both questions, and what a key of the client would reveal. */
export const kdcAnswers: Target = {
  name: 'kdc-answers',
  seeds: () => [
    makeReply({ nonce: 0 }),
    makeReply({ nonce: 0, message: 13, service: SERVICE }),
    makeError(25, NOW_MS, [18, 17, 23]),
    makeError(37),
    makeTicket(),
  ],
  words: [Buffer.from('a003020112', 'hex'), Buffer.from('301b', 'hex'), Buffer.from('7e', 'hex')],
  run: (input) => {
    const bytes = Buffer.from(input);
    refuse(getInitialTicket(ALICE, KEYS, OPTIONS), bytes);
    refuse(getServiceTicket(initial, namesOf(`${SERVICE}@${REALM}`), OPTIONS), bytes);
    parseOrRefuse(() => readKdcReplyPart(bytes), KerberosError);
  },
};

/** Tokens of a server, and the parts of those of a client. */
export const kerberosTokens: Target = {
  name: 'kerberos-tokens',
  seeds: () => [makeLogin(), makeLogin({ isMutual: true }), makeTicket()],
  words: [Buffer.from('06092a864886f712010202', 'hex'), Buffer.from([0x05, 0x04, 0, 0xff])],
  run: (input) => {
    const bytes = Buffer.from(input);
    const client = new GssapiClient(credentialsOf(), NOW_MS);
    const step = client.step(bytes);
    if (step.kind !== 'failed') throw new Finding('a login without the proof of the server');
    for (const id of Object.values(TokenId)) {
      parseOrRefuse(() => readInitialToken(bytes, id), KerberosError);
    }
    for (const read of [readApRequest, readApReplyPart, readAuthenticator, readTicketPart]) {
      parseOrRefuse(() => read(bytes), KerberosError);
    }
  },
};

/** The same bytes as each kind of file. */
export const kerberosFiles: Target = {
  name: 'kerberos-files',
  seeds: () => [
    makeKeytab(),
    makeCache(3),
    makeCache(4),
    Buffer.from('[libdefaults]\ndefault_realm = A\n[realms]\nA = {\nkdc = a:88\nkdc = [::1]\n}\n'),
    Buffer.from('include /a\n[domain_realm]\n.a.b = "A"\n[libdefaults]\npermitted_enctypes = aes'),
  ],
  words: ['[realms]', ' = {', '}', 'kdc = ', '[domain_realm]', 'include ', 'aes256-cts'],
  run: (input) => {
    const bytes = Buffer.from(input);
    parseOrRefuse(() => parseKeytab(bytes), KerberosError);
    const cache = parseOrRefuse(() => parseCredentialCache(bytes), KerberosError);
    for (const { service } of cache?.credentials ?? []) {
      parseOrRefuse(() => namesOf(service), KerberosError);
    }
    const conf = parseOrRefuse(() => parseKrb5Conf(bytes.toString()), KerberosError);
    if (conf === undefined) return;
    parseOrRefuse(() => conf.kdcsOf('A'), KerberosError);
    expectSame(conf.realmOf('x.a.b'), conf.realmOf('X.A.B'), 'the realm of the same host');
  },
};
