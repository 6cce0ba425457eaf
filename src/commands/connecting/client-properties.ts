import { readFile } from 'node:fs/promises';
import { dirname, isAbsolute, join } from 'node:path';
import type { ClientOptions } from '../../client/client.js';
import type { TlsOptions } from '../../client/tls.js';

type Properties = ReadonlyMap<string, string>;

/**
 * A client configuration of Apache's shell (`-client-configuration`): TLS with PEM files, and
 * jute.maxbuffer. What it asks for and is not to be had is refused rather than passed over.
 * @throws Error that says which property cannot be used, and what to do
 */
export async function readClientProperties(file: string): Promise<Partial<ClientOptions>> {
  const properties = parseProperties(await readText(file));
  const maxBuffer = properties.get('jute.maxbuffer');
  if (maxBuffer !== undefined && !/^(0x[0-9a-fA-F]+|\d+)$/.test(maxBuffer)) {
    throw new Error(`jute.maxbuffer is a number of bytes, not "${maxBuffer}"`);
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
      `zookeeper.ssl.${name}.location ${location} is no PEM file: make one with "keytool -importkeystore … -deststoretype PKCS12" and "openssl pkcs12 -in … -nodes -out ${name}.pem"`,
    );
  };
  const [ca, cert] = [await read('trustStore'), await read('keyStore')];
  const passphrase = await passwordOf(properties);
  const isVerified = properties.get('zookeeper.ssl.hostnameVerification')?.toLowerCase();
  if (isVerified === 'false') {
    throw new Error(
      'zookeeper.ssl.hostnameVerification=false is not supported: say zksh --servername NAME instead',
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
    throw new Error(`${file} cannot be read: ${why}`, { cause });
  }
}

/** The text of a Java properties file: `key=value`, comments, joined lines, escapes. */
export function parseProperties(text: string): Properties {
  const properties = new Map<string, string>();
  const logical = text.replace(/\\\r?\n[ \t]*/g, '');
  for (const line of logical.split(/\r?\n/)) {
    const match = /^\s*([^#!=:\s](?:\\.|[^=:\s\\])*)\s*[=:\s]\s*(.*)$/.exec(line);
    if (match?.[1] !== undefined) properties.set(unescaped(match[1]), unescaped(match[2] ?? ''));
  }
  return properties;
}

function unescaped(text: string): string {
  return text.replace(/\\(u[0-9a-fA-F]{4}|.)/g, (_, code: string) => {
    if (/^u.{4}$/.test(code)) return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return { n: '\n', t: '\t', r: '\r', f: '\f' }[code] ?? code;
  });
}
