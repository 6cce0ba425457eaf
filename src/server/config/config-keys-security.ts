import { ensembleOnly, optionsOf, withoutEffect } from './config-option.js';

const file = optionsOf('file');
const prop = optionsOf('property');
export const STORE_TYPES = ['', 'JKS', 'PEM', 'PKCS12', 'BCFKS'] as const;

export const AUTHENTICATION = {
  skipACL: prop.yesNo('skipACL', false, 'skip ACL checks'),
  superDigest: prop.optional(
    'DigestAuthenticationProvider.superDigest',
    'super:<base64 of the digest>, the superuser',
  ),
  digestAuthEnabled: prop.boolean(
    'DigestAuthenticationProvider.enabled',
    true,
    'offer the digest scheme',
  ),
  digestAlg: prop.text('DigestAuthenticationProvider.digestAlg', 'SHA1', 'hash of digest ids'),
  x509SuperUser: prop.optional('X509AuthenticationProvider.superUser', 'DN of the superuser'),
  saslLoginConfig: prop.optional(
    'java.security.auth.login.config',
    'JAAS file: passwords of DigestLoginModule, or keytabs and tickets of Krb5LoginModule',
    { property: 'java.security.auth.login.config' },
  ),
  krb5Conf: prop.text(
    'java.security.krb5.conf',
    '/etc/krb5.conf',
    'Kerberos configuration; clients of this server need only its default_realm',
    { property: 'java.security.krb5.conf' },
  ),
  krb5Realm: prop.optional(
    'java.security.krb5.realm',
    'default realm of Kerberos, instead of default_realm',
    { property: 'java.security.krb5.realm' },
  ),
  requireKerberosConfig: prop.boolean(
    'requireKerberosConfig',
    false,
    'refuse to start with Kerberos but without a default realm',
  ),
  authToLocal: prop.text(
    'security.auth_to_local',
    'DEFAULT',
    'rules that make the short name of a Kerberos principal',
  ),
  kerberosRemoveHost: prop.boolean(
    'kerberos.removeHostFromPrincipal',
    false,
    'leave the host out of the id of a Kerberos client',
  ),
  kerberosRemoveRealm: prop.boolean(
    'kerberos.removeRealmFromPrincipal',
    false,
    'leave the realm out of the id of a Kerberos client',
  ),
  saslServerConfig: prop.text('sasl.serverconfig', 'Server', 'section of that file'),
  saslSuperPassword: prop.optional(
    'SASLAuthenticationProvider.superPassword',
    'password of the SASL user super, instead of that of the JAAS file',
  ),
  superUser: prop.optional('superUser', 'SASL id of the superuser'),
  letAnySaslUserDoX: prop.optional('letAnySaslUserDoX', 'SASL id whose ACLs match any SASL user'),
  allowSaslFailedClients: prop.boolean(
    'allowSaslFailedClients',
    false,
    'serve despite failed SASL',
  ),
  sessionRequireClientSASLAuth: prop.boolean(
    'sessionRequireClientSASLAuth',
    false,
    'refuse requests before SASL authentication',
  ),
  enforceAuthEnabled: prop.boolean(
    'enforce.auth.enabled',
    false,
    'refuse clients that did not authenticate',
  ),
  enforceAuthSchemes: prop.text('enforce.auth.schemes', '', 'schemes that satisfy that'),
  ensembleAuthName: prop.optional(
    'ensembleAuthName',
    'names of this ensemble; a client that names another with the scheme ensemble is disconnected',
  ),
  ipUseXForwardedFor: prop.boolean(
    'IPAuthenticationProvider.usexforwardedfor',
    false,
    'take the address of a client of the AdminServer from the header X-Forwarded-For',
  ),
  ...withoutEffect('the leader checks them when it prepares the write', {
    enableEagerACLCheck: prop.boolean('enableEagerACLCheck', false, 'check ACLs before forwarding'),
  }),
  ...ensembleOnly({
    quorumAuthEnableSasl: file.boolean(
      'quorum.auth.enableSasl',
      false,
      'SASL between servers, using the JAAS file',
    ),
    quorumAuthLearnerRequireSasl: file.boolean(
      'quorum.auth.learnerRequireSasl',
      false,
      'authenticate to other servers',
    ),
    quorumAuthServerRequireSasl: file.boolean(
      'quorum.auth.serverRequireSasl',
      false,
      'refuse servers that do not authenticate',
    ),
    quorumAuthLearnerLoginContext: file.text(
      'quorum.auth.learner.saslLoginContext',
      'QuorumLearner',
      'section with username and password of this server, or its Krb5LoginModule',
    ),
    quorumAuthServerLoginContext: file.text(
      'quorum.auth.server.saslLoginContext',
      'QuorumServer',
      'section with a user_NAME for each server that may connect, or a Krb5LoginModule with a keytab',
    ),
    quorumAuthKerberosServicePrincipal: file.text(
      'quorum.auth.kerberos.servicePrincipal',
      'zkquorum/localhost',
      'Kerberos principal of the other servers; _HOST stands for the host of each',
    ),
    kerberosCanonicalizeHostNames: prop.boolean(
      'kerberos.canonicalizeHostNames',
      false,
      'replace hosts of servers in principals by the names that DNS has for their addresses',
    ),
    kerberosServerRealm: prop.optional(
      'server.realm',
      'realm of the other servers, if their principal has none',
    ),
  }),
};

export const TLS = {
  ...ensembleOnly({
    sslQuorum: file.boolean('sslQuorum', false, 'TLS between servers'),
    portUnification: file.boolean('portUnification', false, 'TLS and plain on the quorum port'),
    sslQuorumReloadCertFiles: file.boolean(
      'sslQuorumReloadCertFiles',
      false,
      'reload changed certificates between servers',
    ),
    sslQuorumHostnameVerification: prop.boolean(
      'ssl.quorum.hostnameVerification',
      true,
      'verify names of servers',
      { defaultText: 'the opposite of fips-mode' },
    ),
    sslQuorumClientHostnameVerification: prop.boolean(
      'ssl.quorum.clientHostnameVerification',
      true,
      'verify names of connecting servers',
      { defaultText: 'ssl.quorum.hostnameVerification' },
    ),
    sslQuorumClientAuth: prop.choice(
      'ssl.quorum.clientAuth',
      'need',
      ['none', 'want', 'need'],
      'as for clients',
    ),
  }),
  sslQuorumKeyStoreLocation: prop.optional('ssl.quorum.keyStore.location', 'as for clients'),
  sslQuorumKeyStorePassword: prop.optional('ssl.quorum.keyStore.password', 'as for clients'),
  sslQuorumKeyStorePasswordPath: prop.optional(
    'ssl.quorum.keyStore.passwordPath',
    'as for clients',
  ),
  sslQuorumKeyStoreType: prop.choice('ssl.quorum.keyStore.type', '', STORE_TYPES, 'as for clients'),
  sslQuorumTrustStoreLocation: prop.optional('ssl.quorum.trustStore.location', 'as for clients'),
  sslQuorumTrustStorePassword: prop.optional('ssl.quorum.trustStore.password', 'as for clients'),
  sslQuorumTrustStorePasswordPath: prop.optional(
    'ssl.quorum.trustStore.passwordPath',
    'as for clients',
  ),
  sslQuorumTrustStoreType: prop.choice(
    'ssl.quorum.trustStore.type',
    '',
    STORE_TYPES,
    'as for clients',
  ),
  ...ensembleOnly({
    sslQuorumAllowReverseDnsLookup: prop.boolean(
      'ssl.quorum.allowReverseDnsLookup',
      true,
      'as for clients',
    ),
  }),
  sslQuorumProtocol: prop.optional(
    'ssl.quorum.protocol',
    'as for clients; TLSv1.3 is TLS 1.2 and 1.3, as in Java',
    { defaultText: 'TLS 1.2 and 1.3' },
  ),
  sslQuorumEnabledProtocols: prop.optional('ssl.quorum.enabledProtocols', 'as for clients', {
    defaultText: 'ssl.quorum.protocol',
  }),
  sslQuorumCiphersuites: prop.optional('ssl.quorum.ciphersuites', 'as for clients'),
  sslQuorumHandshakeDetectionTimeoutMs: prop.int(
    'ssl.quorum.handshakeDetectionTimeoutMillis',
    5000,
    'as for clients',
    { unit: 'ms' },
  ),
  sslQuorumCrl: prop.boolean('ssl.quorum.crl', false, 'as for clients'),
  sslQuorumOcsp: prop.boolean('ssl.quorum.ocsp', false, 'as for clients'),
  clientPortUnification: prop.boolean('client.portUnification', false, 'TLS and plain for clients'),
  clientCertReload: prop.boolean('client.certReload', false, 'reload changed certificates'),
  fipsMode: prop.boolean(
    'fips-mode',
    true,
    'do not verify names of servers, unless ssl.quorum.hostnameVerification is set; DIGEST-MD5 stays',
  ),
  sslAuthProvider: prop.text('ssl.authProvider', 'x509', 'client certificate provider'),
  sslKeyStoreLocation: prop.optional('ssl.keyStore.location', 'key and certificate'),
  sslKeyStorePassword: prop.optional('ssl.keyStore.password', 'its password'),
  sslKeyStorePasswordPath: prop.optional('ssl.keyStore.passwordPath', 'file of the password'),
  sslKeyStoreType: prop.choice('ssl.keyStore.type', '', STORE_TYPES, 'key store format'),
  sslTrustStoreLocation: prop.optional('ssl.trustStore.location', 'certificates to trust'),
  sslTrustStorePassword: prop.optional('ssl.trustStore.password', 'their password'),
  sslTrustStorePasswordPath: prop.optional('ssl.trustStore.passwordPath', 'file of the password'),
  sslTrustStoreType: prop.choice('ssl.trustStore.type', '', STORE_TYPES, 'trust store format'),
  sslProtocol: prop.optional('ssl.protocol', 'the only TLS version; TLS is 1.2 and 1.3', {
    defaultText: 'TLS 1.2 and 1.3',
  }),
  sslEnabledProtocols: prop.optional('ssl.enabledProtocols', 'accepted TLS versions', {
    defaultText: 'ssl.protocol',
  }),
  sslCiphersuites: prop.optional('ssl.ciphersuites', 'accepted cipher suites'),
  sslHostnameVerification: prop.boolean(
    'ssl.hostnameVerification',
    true,
    'false: ssl.clientHostnameVerification has no effect',
  ),
  sslClientHostnameVerification: prop.boolean(
    'ssl.clientHostnameVerification',
    false,
    'verify names of clients, unless ssl.hostnameVerification is false',
  ),
  sslAllowReverseDnsLookup: prop.boolean(
    'ssl.allowReverseDnsLookup',
    false,
    'accept a certificate that names the host of the address by DNS, not the address',
  ),
  sslCrl: prop.boolean('ssl.crl', false, 'check revocation lists'),
  sslOcsp: prop.boolean('ssl.ocsp', false, 'ask OCSP responders whether certificates are revoked'),
  sslClientAuth: prop.choice(
    'ssl.clientAuth',
    'need',
    ['none', 'want', 'need'],
    'whether clients need a certificate',
  ),
  sslHandshakeDetectionTimeoutMs: prop.int(
    'ssl.handshakeDetectionTimeoutMillis',
    5000,
    'time to detect TLS on a connection',
    { unit: 'ms' },
  ),
};
