/** The options of zoo.cfg on authentication and TLS; config-keys.ts has the others. */
import { ensembleOnly, later, optionsOf, withoutMeaning } from './config-option.js';

const file = optionsOf('file');
const prop = optionsOf('property');
const STORE_TYPES = ['', 'JKS', 'PEM', 'PKCS12', 'BCFKS'] as const;

export const AUTHENTICATION = {
  skipACL: prop.yesNo('skipACL', false, 'check no ACL'),
  superDigest: prop.optional(
    'DigestAuthenticationProvider.superDigest',
    'super:<base64 of the digest>, who may do all',
  ),
  digestAuthEnabled: prop.boolean(
    'DigestAuthenticationProvider.enabled',
    true,
    'offer the scheme digest',
  ),
  digestAlg: prop.text('DigestAuthenticationProvider.digestAlg', 'SHA1', 'hash of digest ids'),
  x509SuperUser: prop.optional('X509AuthenticationProvider.superUser', 'DN of who may do all'),
  saslLoginConfig: prop.optional(
    'java.security.auth.login.config',
    'JAAS file with the users of DIGEST-MD5: DigestLoginModule and its user_NAME',
    { property: 'java.security.auth.login.config' },
  ),
  saslServerConfig: prop.text('sasl.serverconfig', 'Server', 'section of that file'),
  superUser: prop.optional('superUser', 'SASL id of who may do all'),
  letAnySaslUserDoX: prop.optional('letAnySaslUserDoX', 'SASL id whose ACLs any SASL user meets'),
  allowSaslFailedClients: prop.boolean('allowSaslFailedClients', false, 'serve them all the same'),
  sessionRequireClientSASLAuth: prop.boolean(
    'sessionRequireClientSASLAuth',
    false,
    'refuse requests before SASL',
  ),
  enforceAuthEnabled: prop.boolean(
    'enforce.auth.enabled',
    false,
    'refuse who did not authenticate',
  ),
  enforceAuthSchemes: prop.text('enforce.auth.schemes', '', 'schemes that count for that'),
  ...later('the leader checks them', {
    enableEagerACLCheck: prop.boolean('enableEagerACLCheck', false, 'check ACLs before forwarding'),
  }),
  ...ensembleOnly({
    quorumAuthEnableSasl: file.boolean(
      'quorum.auth.enableSasl',
      false,
      'SASL DIGEST-MD5 between servers, by the JAAS file',
    ),
    quorumAuthLearnerRequireSasl: file.boolean(
      'quorum.auth.learnerRequireSasl',
      false,
      'prove who this server is to those it connects to',
    ),
    quorumAuthServerRequireSasl: file.boolean(
      'quorum.auth.serverRequireSasl',
      false,
      'let no server in that does not prove who it is',
    ),
    quorumAuthLearnerLoginContext: file.text(
      'quorum.auth.learner.saslLoginContext',
      'QuorumLearner',
      'section with username and password of this server',
    ),
    quorumAuthServerLoginContext: file.text(
      'quorum.auth.server.saslLoginContext',
      'QuorumServer',
      'section with a user_NAME for each server that may come in',
    ),
  }),
  ...later('servers authenticate by DIGEST-MD5 alone', {
    quorumAuthKerberosServicePrincipal: file.text(
      'quorum.auth.kerberos.servicePrincipal',
      'zkquorum/localhost',
      'Kerberos principal of the servers',
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
      'read changed certificates between servers',
    ),
    sslQuorumHostnameVerification: prop.boolean(
      'ssl.quorum.hostnameVerification',
      true,
      'check names',
    ),
    sslQuorumClientHostnameVerification: prop.boolean(
      'ssl.quorum.clientHostnameVerification',
      true,
      'check names of dialling servers',
      { defaultText: 'ssl.quorum.hostnameVerification' },
    ),
    sslQuorumClientAuth: prop.choice(
      'ssl.quorum.clientAuth',
      'need',
      ['none', 'want', 'need'],
      'as without quorum',
    ),
  }),
  sslQuorumKeyStoreLocation: prop.optional('ssl.quorum.keyStore.location', 'as without quorum'),
  sslQuorumKeyStorePassword: prop.optional('ssl.quorum.keyStore.password', 'as without quorum'),
  sslQuorumKeyStorePasswordPath: prop.optional(
    'ssl.quorum.keyStore.passwordPath',
    'as without quorum',
  ),
  sslQuorumKeyStoreType: prop.choice(
    'ssl.quorum.keyStore.type',
    '',
    STORE_TYPES,
    'as without quorum',
  ),
  sslQuorumTrustStoreLocation: prop.optional('ssl.quorum.trustStore.location', 'as without quorum'),
  sslQuorumTrustStorePassword: prop.optional('ssl.quorum.trustStore.password', 'as without quorum'),
  sslQuorumTrustStorePasswordPath: prop.optional(
    'ssl.quorum.trustStore.passwordPath',
    'as without quorum',
  ),
  sslQuorumTrustStoreType: prop.choice(
    'ssl.quorum.trustStore.type',
    '',
    STORE_TYPES,
    'as without quorum',
  ),
  sslQuorumProtocol: prop.text('ssl.quorum.protocol', 'TLSv1.2', 'as without quorum'),
  sslQuorumEnabledProtocols: prop.optional('ssl.quorum.enabledProtocols', 'as without quorum', {
    defaultText: 'ssl.quorum.protocol',
  }),
  sslQuorumCiphersuites: prop.optional('ssl.quorum.ciphersuites', 'as without quorum'),
  sslQuorumCrl: prop.boolean('ssl.quorum.crl', false, 'as without quorum'),
  sslQuorumOcsp: prop.boolean('ssl.quorum.ocsp', false, 'as without quorum'),
  clientPortUnification: prop.boolean('client.portUnification', false, 'TLS and plain for clients'),
  clientCertReload: prop.boolean('client.certReload', false, 'read changed certificates'),
  ...later('TLS is that of the platform', {
    fipsMode: prop.boolean('fips-mode', true, 'TLS of the platform, no DIGEST-MD5 by clients'),
  }),
  sslAuthProvider: prop.text('ssl.authProvider', 'x509', 'who judges client certificates'),
  sslKeyStoreLocation: prop.optional('ssl.keyStore.location', 'key and certificate'),
  sslKeyStorePassword: prop.optional('ssl.keyStore.password', 'its password'),
  sslKeyStorePasswordPath: prop.optional('ssl.keyStore.passwordPath', 'file of that password'),
  sslKeyStoreType: prop.choice('ssl.keyStore.type', '', STORE_TYPES, 'its form'),
  sslTrustStoreLocation: prop.optional('ssl.trustStore.location', 'certificates to trust'),
  sslTrustStorePassword: prop.optional('ssl.trustStore.password', 'their password'),
  sslTrustStorePasswordPath: prop.optional('ssl.trustStore.passwordPath', 'file of that password'),
  sslTrustStoreType: prop.choice('ssl.trustStore.type', '', STORE_TYPES, 'their form'),
  sslProtocol: prop.text('ssl.protocol', 'TLSv1.2', 'TLS version'),
  sslEnabledProtocols: prop.optional('ssl.enabledProtocols', 'TLS versions taken', {
    defaultText: 'ssl.protocol',
  }),
  sslCiphersuites: prop.optional('ssl.ciphersuites', 'cipher suites taken'),
  ...withoutMeaning('a server checks the names of clients alone: ssl.clientHostnameVerification', {
    sslHostnameVerification: prop.boolean('ssl.hostnameVerification', true, 'check names'),
  }),
  sslClientHostnameVerification: prop.boolean(
    'ssl.clientHostnameVerification',
    false,
    'check names of clients',
  ),
  sslCrl: prop.boolean('ssl.crl', false, 'look at revocation lists'),
  sslOcsp: prop.boolean('ssl.ocsp', false, 'ask OCSP'),
  sslClientAuth: prop.choice(
    'ssl.clientAuth',
    'need',
    ['none', 'want', 'need'],
    'client certificate',
  ),
  sslHandshakeDetectionTimeoutMs: prop.int(
    'ssl.handshakeDetectionTimeoutMillis',
    5000,
    'time to tell TLS from plain',
    { unit: 'ms' },
  ),
};
