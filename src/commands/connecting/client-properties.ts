import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import type { ClientOptions } from '../../client/client.js';
import type { TlsOptions } from '../../client/tls.js';
import { parseProperties } from '../../server/config/java-properties.js';

type Properties = ReadonlyMap<string, string>;

/**
 * A client configuration of Apache's shell (`-client-configuration`): TLS with PEM files, and
 * jute.maxbuffer. Unsupported properties are errors.
 * @throws Error that names the unusable property, and what to do
 */
export async function readClientProperties(file: string): Promise<Partial<ClientOptions>> {
  const properties = await readProperties(file);
  const maxBuffer = properties.get('jute.maxbuffer');
  if (maxBuffer !== undefined && !/^(0x[0-9a-fA-F]+|\d+)$/.test(maxBuffer)) {
    throw new Error(`jute.maxbuffer: not a number of bytes: "${maxBuffer}"`);
  }
  const isSecure = properties.get('zookeeper.client.secure')?.toLowerCase() === 'true';
  const tls = isSecure ? await tlsOf(properties, dirname(file)) : undefined;
  return {
    ...(maxBuffer === undefined ? {} : { maxFrameLength: Number(maxBuffer) }),
    ...(tls === undefined ? {} : { tls }),
  };
}

async function tlsOf(properties: Properties, folder: string): Promise<TlsOptions> {
  const read = async (name: string) => {
    const location = properties.get(`zookeeper.ssl.${name}.location`);
    if (location === undefined || location === '') return undefined;
    const type = properties.get(`zookeeper.ssl.${name}.type`)?.toUpperCase();
    if (type === 'PEM' || (type === undefined && /\.pem$/i.test(location))) {
      return readText(isAbsolute(location) ? location : join(folder, location));
    }
    throw new Error(
      `zookeeper.ssl.${name}.location: not a PEM file: ${location}: make one with "keytool -importkeystore … -deststoretype PKCS12" and "openssl pkcs12 -in … -nodes -out ${name}.pem"`,
    );
  };
  const [ca, cert] = [await read('trustStore'), await read('keyStore')];
  const passphrase = await passwordOf(properties);
  const isVerified = properties.get('zookeeper.ssl.hostnameVerification')?.toLowerCase();
  if (isVerified === 'false') {
    throw new Error(
      'zookeeper.ssl.hostnameVerification=false: not supported: use zksh --servername NAME instead',
    );
  }
  return {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(passphrase === undefined ? {} : { passphrase }),
  };
}

async function passwordOf(properties: Properties): Promise<string | undefined> {
  const path = properties.get('zookeeper.ssl.keyStore.passwordPath');
  if (path !== undefined && path !== '') return (await readText(path)).replace(/\r?\n$/, '');
  return properties.get('zookeeper.ssl.keyStore.password');
}

async function readText(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new Error(`${file}: cannot read: ${why}`, { cause });
  }
}

/** @throws Error that names the invalid line, which Java would refuse, too */
async function readProperties(file: string): Promise<Properties> {
  const { properties, problems } = parseProperties(await readText(file));
  const [problem] = problems;
  if (problem !== undefined) throw new Error(`${file}:${problem.line}: ${problem.message}`);
  return new Map(properties.map(({ key, value }) => [key, value]));
}
