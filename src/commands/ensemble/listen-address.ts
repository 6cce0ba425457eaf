import { parseServerAddress } from '../../client/base/connect-string.js';

const LOCAL_HOST = '127.0.0.1';
/** Every address of this machine, IPv4 included. */
const ANY_HOST = '::';

/**
 * The address of --listen: `host:port`, `:port` for every address, or `port` on this machine alone.
 * Port 0 is any free port. @throws RangeError
 */
export function parseListenAddress(text: string): { readonly host: string; readonly port: number } {
  const [, start, digits] = /^(?:(.*):)?(\d+)$/.exec(text) ?? [];
  if (digits === undefined) return parseServerAddress(text);
  const isAny = start === '' || start === '*';
  // Port 0 is not a valid port of a ZooKeeper server.
  const isFree = Number(digits) === 0;
  const place = start === undefined || isAny ? LOCAL_HOST : start;
  const { host, port } = parseServerAddress(`${place}:${isFree ? 1 : digits}`);
  return { host: isAny ? ANY_HOST : host, port: isFree ? 0 : port };
}
