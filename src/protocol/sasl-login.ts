/** How a client logs in by SASL. */

/** By DIGEST-MD5. */
export interface DigestLogin {
  /** As in the JAAS file of the server. */
  readonly user: string;
  /** It never crosses the network. */
  readonly password: string;
}

/** By Kerberos. With both files, a valid ticket of the cache precedes the keytab. */
export interface KerberosOptions {
  /** "user@REALM" or "user"; needed with a keytab. Default: the principal of the cache. */
  readonly principal?: string;
  /** The file with the keys of the principal. */
  readonly keytab?: string;
  /**
   * The file that kinit wrote. Empty, or without it and a keytab: the one of KRB5CCNAME, or else of
   * the user.
   */
  readonly ticketCache?: string;
  /** Default: the file of KRB5_CONFIG, or /etc/krb5.conf. */
  readonly krb5Conf?: string;
  /**
   * The principal of every server, as Apache's zookeeper.server.principal. Default: serviceName
   * and the host of the server.
   */
  readonly servicePrincipal?: string;
  /** As zookeeper.sasl.client.username. Default: "zookeeper". */
  readonly serviceName?: string;
  /** As zookeeper.server.realm. Default: the realm of the host in krb5.conf, or of the client. */
  readonly serviceRealm?: string;
  /**
   * Whether DNS replaces the host by its canonical name, as
   * zookeeper.sasl.client.canonicalize.hostname. Default true.
   */
  readonly isHostCanonicalized?: boolean;
}

export interface KerberosLogin extends KerberosOptions {
  /** The name of the mechanism of SASL. */
  readonly mechanism: 'GSSAPI';
}

/** A login by SASL: with a password, or by Kerberos. */
export type SaslLogin = DigestLogin | KerberosLogin;

/** Whether it is by Kerberos. */
export function isKerberos(login: SaslLogin): login is KerberosLogin {
  return 'mechanism' in login && login.mechanism !== undefined;
}
