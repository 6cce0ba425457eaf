import { checkBoolean, checkFields, checkText } from '../../protocol/check-argument.js';
import {
  type DigestLogin,
  isKerberos,
  type KerberosLogin,
  type KerberosOptions,
  type SaslLogin,
} from '../../protocol/sasl-login.js';

/** A login by Kerberos with the code that does it: made by `kerberos`. */
export interface KerberosSasl extends KerberosLogin {
  /** Loads the code; called for the first login. */
  readonly load: typeof loadKerberos;
}

/** How a client logs in by SASL. */
export type ClientSasl = DigestLogin | KerberosSasl;

/**
 * A login by Kerberos, for the option `sasl`. Only a program that calls this carries the code of
 * Kerberos in its bundle.
 * @throws TypeError that names the option
 * @example
 * createClient({
 *   connectString: 'zk1.example.com',
 *   sasl: kerberos({ principal: 'app@EXAMPLE.COM', keytab: '/etc/app.keytab' }),
 * });
 */
export function kerberos(options: KerberosOptions): KerberosSasl {
  const checked = checkFields('options', options, {
    principal: checkText,
    keytab: checkText,
    ticketCache: checkText,
    krb5Conf: checkText,
    servicePrincipal: checkText,
    serviceName: checkText,
    serviceRealm: checkText,
    isHostCanonicalized: checkBoolean,
  });
  // A keytab may have several.
  if (checked.keytab !== undefined) checkText('options.principal', checked.principal);
  return { ...checked, mechanism: 'GSSAPI', load: loadKerberos };
}

/** For a login of either kind, such as that of a JAAS file. */
export function saslOf(login: SaslLogin): ClientSasl {
  return isKerberos(login) ? { ...login, load: loadKerberos } : login;
}

async function loadKerberos() {
  const [{ KerberosClient }, { KerberosError }] = await Promise.all([
    import('../../kerberos/node/kerberos-client.js'),
    import('../../kerberos/kerberos-error.js'),
  ]);
  return { KerberosClient, KerberosError };
}
