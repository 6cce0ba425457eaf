/** The metricsProvider.ssl.* options of 3.10, for those who read the metrics. */
import type { Config } from '../../config/config.js';
import { configFault, readTlsSource, type TlsOptions } from './tls-options.js';

const NEED = 'metricsProvider.ssl.need.client.auth=true';

/** @throws ServerError ECONFIG that names the option, or the file and its fault */
export function readMetricsTlsOptions(
  config: Config,
  onWarning: (message: string) => void,
): TlsOptions {
  const isNeeded = config.metricsProviderSslNeedClientAuth;
  const isWanted = config.metricsProviderSslWantClientAuth;
  // Without it, the certificate of any public authority would be enough.
  if (isNeeded && config.metricsProviderSslTrustStoreLocation === null) {
    throw configFault(`metricsProvider.ssl.trustStore.location: missing: ${NEED} needs it`);
  }
  const source = {
    prefix: 'metricsProvider.ssl' as const,
    whom: 'client' as const,
    needOption: NEED,
    sslAuthProvider: 'x509',
    sslKeyStoreLocation: config.metricsProviderSslKeyStoreLocation,
    sslKeyStoreType: config.metricsProviderSslKeyStoreType,
    sslKeyStorePassword: config.metricsProviderSslKeyStorePassword,
    sslKeyStorePasswordPath: null,
    sslTrustStoreLocation: config.metricsProviderSslTrustStoreLocation,
    sslTrustStoreType: config.metricsProviderSslTrustStoreType,
    sslTrustStorePassword: config.metricsProviderSslTrustStorePassword,
    sslTrustStorePasswordPath: null,
    // Only if no versions are named: both, as Jetty has it.
    sslProtocol: null,
    sslEnabledProtocols: config.metricsProviderSslEnabledProtocols,
    sslCiphersuites: config.metricsProviderSslCiphersuites,
    sslCrl: false,
    sslOcsp: false,
    sslClientAuth: isNeeded ? ('need' as const) : isWanted ? ('want' as const) : ('none' as const),
    sslClientHostnameVerification: false,
    sslAllowReverseDnsLookup: false,
  };
  return readTlsSource(source, onWarning);
}
