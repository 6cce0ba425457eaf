import {
  checkBoolean,
  checkBytes,
  checkText,
  checkWhole,
  readFields,
} from '../../protocol/check-argument.js';
import { RecipeError } from '../base/errors.js';

/** An instance of a service as Curator's service discovery writes it. */
export interface ServiceInstance {
  /** The name of the service. */
  readonly name: string;
  /** The name of the znode. */
  readonly id: string;
  /** A host name or an address. Default: empty. */
  readonly address?: string | undefined;
  /** The port without TLS. */
  readonly port?: number | undefined;
  /** The port for TLS. */
  readonly sslPort?: number | undefined;
  /** Any JSON value; Curator's payload class must fit. */
  readonly payload?: unknown;
  /** Milliseconds since 1970. Default: now. */
  readonly registrationTimeUTC?: number | undefined;
  /** False for an instance that is there but wants no requests. Default true. */
  readonly enabled?: boolean | undefined;
}

const NAMES = [
  'name',
  'id',
  'address',
  'port',
  'sslPort',
  'payload',
  'registrationTimeUTC',
  'enabled',
] as const;
const HIGHEST_PORT = 65_535;

/**
 * The data of an instance, as JSON that Curator's JsonInstanceSerializer reads.
 * @example
 * const data = encodeServiceInstance({ name: 'web', id: 'host-1', port: 80 });
 * await PersistentNode.open(client, '/services/web/host-1', { data });
 * @throws TypeError, RangeError
 */
export function encodeServiceInstance(instance: ServiceInstance): Buffer {
  const { name, id, address, port, sslPort, payload, registrationTimeUTC, enabled } = readFields(
    'instance',
    instance,
    NAMES,
  );
  const portOf = (field: string, value: number | undefined): number | null =>
    value === undefined ? null : checkWhole(`instance.${field}`, value, 0, HIGHEST_PORT);
  const time = registrationTimeUTC ?? Date.now();
  if (enabled !== undefined) checkBoolean('instance.enabled', enabled);
  const text = JSON.stringify({
    name: checkText('instance.name', name),
    id: checkText('instance.id', id),
    address: checkText('instance.address', address === undefined ? '' : address),
    port: portOf('port', port),
    sslPort: portOf('sslPort', sslPort),
    payload: payload ?? null,
    registrationTimeUTC: checkWhole(
      'instance.registrationTimeUTC',
      time,
      0,
      Number.MAX_SAFE_INTEGER,
    ),
    serviceType: 'DYNAMIC',
    uriSpec: null,
    // Curator's older readers refuse fields that they do not know.
    ...(enabled === false ? { enabled } : {}),
  });
  return Buffer.from(text);
}

/**
 * Reads the data of an instance, of Curator or of encodeServiceInstance.
 * @example
 * const { data } = await client.getData('/services/web/host-1');
 * if (data !== null) console.log(decodeServiceInstance(data).address);
 * @throws RecipeError EBADDATA for other data
 */
export function decodeServiceInstance(data: string | Uint8Array): ServiceInstance {
  const text = checkBytes('data', data).toString();
  let found: unknown;
  try {
    found = JSON.parse(text);
  } catch (error) {
    throw invalidInstance(text, error);
  }
  const fields: Partial<Record<string, unknown>> =
    typeof found === 'object' && found !== null ? { ...found } : {};
  const { name, id, address, port, sslPort, payload, registrationTimeUTC, enabled } = fields;
  if (typeof name !== 'string' || typeof id !== 'string') {
    throw invalidInstance(text);
  }
  return {
    name,
    id,
    address: typeof address === 'string' ? address : '',
    ...(typeof port === 'number' ? { port } : {}),
    ...(typeof sslPort === 'number' ? { sslPort } : {}),
    ...(payload === null || payload === undefined ? {} : { payload }),
    ...(typeof registrationTimeUTC === 'number' ? { registrationTimeUTC } : {}),
    enabled: enabled !== false,
  };
}

function invalidInstance(text: string, cause?: unknown): RecipeError {
  return new RecipeError(
    'EBADDATA',
    undefined,
    `not an instance of a service: ${excerpt(text)}`,
    cause,
  );
}

function excerpt(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
