import {
  readKeyStore,
  readTrustStore,
  StoreError,
  type StoreFile,
} from '../../certificates/key-store.js';
import { TlsOptionError, type TlsOptions, type TlsStore } from './tls.js';

const resolved = new WeakMap<TlsOptions, TlsOptions>();

/** The options with the content of their stores as PEM. @throws TlsOptionError */
export function withoutStores(tls: TlsOptions): TlsOptions {
  const { keyStore, trustStore, ...others } = tls;
  if (keyStore === undefined && trustStore === undefined) return tls;
  const known = resolved.get(tls);
  if (known !== undefined) return known;
  if (keyStore !== undefined && (tls.cert ?? tls.key) !== undefined) {
    throw new TlsOptionError('keyStore', 'given together with cert or key');
  }
  if (trustStore !== undefined && tls.ca !== undefined) {
    throw new TlsOptionError('trustStore', 'given together with ca');
  }
  const pair = keyStore && readStore('keyStore', keyStore, readKeyStore);
  const trusted = trustStore && readStore('trustStore', trustStore, readTrustStore);
  const pem: TlsOptions = {
    ...others,
    ...(pair && { cert: pair.chain, key: pair.key }),
    ...(trusted && { ca: trusted.certificates.join('') }),
  };
  resolved.set(tls, pem);
  return pem;
}

function readStore<T>(
  option: 'keyStore' | 'trustStore',
  { source, password = '' }: TlsStore,
  read: (store: StoreFile) => T,
): T {
  const given =
    typeof source === 'string'
      ? { location: source }
      : { location: 'the given content', content: source };
  try {
    return read({ ...given, password, type: '' });
  } catch (cause) {
    if (!(cause instanceof StoreError)) throw cause;
    throw new TlsOptionError(option, cause.message, { cause });
  }
}
