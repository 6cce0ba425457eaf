import { STORE_TYPES } from './config-keys-security.js';
import { optionsOf } from './config-option.js';

const file = optionsOf('file');

export const METRICS = {
  metricsProviderClassName: file.optional('metricsProvider.className', 'provider of metrics', {
    defaultText: 'DefaultMetricsProvider',
  }),
  metricsProviderHttpHost: file.address(
    'metricsProvider.httpHost',
    '0.0.0.0',
    'Prometheus address',
  ),
  metricsProviderHttpPort: file.int('metricsProvider.httpPort', -1, 'Prometheus port', {
    min: -1,
    defaultText: '7000 without metricsProvider.httpsPort',
  }),
  metricsProviderExportJvmInfo: file.boolean(
    'metricsProvider.exportJvmInfo',
    true,
    'export metrics of the process',
  ),
  metricsProviderHttpsPort: file.int(
    'metricsProvider.httpsPort',
    -1,
    'Prometheus port with TLS; it may be the port without TLS, too',
    { min: -1, defaultText: 'none' },
  ),
  metricsProviderSslKeyStoreLocation: file.optional(
    'metricsProvider.ssl.keyStore.location',
    'its key and certificate',
  ),
  metricsProviderSslKeyStorePassword: file.optional(
    'metricsProvider.ssl.keyStore.password',
    'password of that file',
  ),
  metricsProviderSslKeyStoreType: file.choice(
    'metricsProvider.ssl.keyStore.type',
    '',
    STORE_TYPES,
    'format of that file',
  ),
  metricsProviderSslTrustStoreLocation: file.optional(
    'metricsProvider.ssl.trustStore.location',
    'certificates to trust',
  ),
  metricsProviderSslTrustStorePassword: file.optional(
    'metricsProvider.ssl.trustStore.password',
    'password of that file',
  ),
  metricsProviderSslTrustStoreType: file.choice(
    'metricsProvider.ssl.trustStore.type',
    '',
    STORE_TYPES,
    'format of that file',
  ),
  metricsProviderSslNeedClientAuth: file.boolean(
    'metricsProvider.ssl.need.client.auth',
    true,
    'refuse clients without a certificate',
  ),
  metricsProviderSslWantClientAuth: file.boolean(
    'metricsProvider.ssl.want.client.auth',
    true,
    'ask clients for a certificate, and refuse an untrusted one',
  ),
  metricsProviderSslEnabledProtocols: file.optional(
    'metricsProvider.ssl.enabledProtocols',
    'accepted TLS versions',
    { defaultText: 'TLSv1.2,TLSv1.3' },
  ),
  metricsProviderSslCiphersuites: file.optional(
    'metricsProvider.ssl.ciphersuites',
    'accepted cipher suites',
  ),
};
