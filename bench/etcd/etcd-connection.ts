/**
 * The two calls of etcd's gRPC service KV that the benchmark needs, over one HTTP/2 connection. A
 * message is 5 bytes of gRPC's prefix and the fields of rpc.proto: 1 is the key, 2 the value.
 */
import { type ClientHttp2Session, connect } from 'node:http2';

const HEADERS = { ':method': 'POST', 'content-type': 'application/grpc', te: 'trailers' } as const;
const GRPC_OK = '0';

export class EtcdConnection {
  private readonly session: ClientHttp2Session;

  private constructor(session: ClientHttp2Session) {
    this.session = session;
  }

  static open(port: number): Promise<EtcdConnection> {
    return new Promise((resolve, reject) => {
      const session = connect(`http://127.0.0.1:${port}`);
      session.once('error', reject);
      session.once('connect', () => {
        session.off('error', reject);
        session.on('error', () => undefined);
        resolve(new EtcdConnection(session));
      });
    });
  }

  /** @param message one of `putMessage` or `rangeMessage` */
  call(method: 'Put' | 'Range', message: Buffer): Promise<void> {
    return new Promise((resolve, reject) => {
      const stream = this.session.request({ ...HEADERS, ':path': `/etcdserverpb.KV/${method}` });
      let status: unknown;
      stream.on('trailers', (trailers) => {
        status = trailers['grpc-status'];
      });
      stream.once('error', reject);
      stream.once('close', () => {
        if (status === GRPC_OK) resolve();
        else reject(new Error(`etcd answered ${method} with status ${String(status)}`));
      });
      stream.resume();
      stream.end(message);
    });
  }

  close(): void {
    this.session.destroy();
  }
}

export function rangeMessage(key: string): Buffer {
  return framed(field(1, Buffer.from(key)));
}

export function putMessage(key: string, value: Buffer): Buffer {
  return framed(Buffer.concat([field(1, Buffer.from(key)), field(2, value)]));
}

/** A field of fewer than 128 bytes, so that its length takes one byte. */
function field(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
}

function framed(message: Buffer): Buffer {
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  return Buffer.concat([prefix, message]);
}
