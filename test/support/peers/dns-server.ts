// A name server on loopback that answers only the SRV records it was given.
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import type { SrvRecord } from '../../../src/client/hosts/srv-target.js';

const [TYPE_SRV, CLASS_IN] = [33, 1];
const RCODE_NXDOMAIN = 3;
/** Answers refer to the name in the question by its offset. */
const POINTER_TO_QUESTION = 0xc00c;

export interface DnsServer {
  /** "127.0.0.1:port". */
  readonly address: string;
  /** The names queried so far. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** @param records may change at any time; a name without records is unknown */
export async function startDnsServer(
  records: ReadonlyMap<string, readonly SrvRecord[]>,
): Promise<DnsServer> {
  const socket = createSocket('udp4');
  const asked: string[] = [];
  socket.on('message', (question, from) => {
    const name = nameOf(question);
    asked.push(name);
    socket.send(answerTo(question, records.get(name)), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return {
    address: `127.0.0.1:${socket.address().port}`,
    asked,
    close: () => new Promise((resolve) => socket.close(() => resolve())),
  };
}

const HEADER_LENGTH = 12;

function nameOf(question: Buffer): string {
  const labels: string[] = [];
  for (let at = HEADER_LENGTH; question.readUInt8(at) > 0; ) {
    const length = question.readUInt8(at);
    labels.push(question.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return labels.join('.');
}

function answerTo(question: Buffer, records: readonly SrvRecord[] | undefined): Buffer {
  const end = question.indexOf(0, HEADER_LENGTH) + 5;
  const header = Buffer.alloc(HEADER_LENGTH);
  question.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | (records === undefined ? RCODE_NXDOMAIN : 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records?.length ?? 0, 6);
  const answers = (records ?? []).map(recordOf);
  return Buffer.concat([header, question.subarray(HEADER_LENGTH, end), ...answers]);
}

function recordOf({ name, port, priority, weight }: SrvRecord): Buffer {
  const labels = name.split('.').filter((label) => label !== '');
  const target = Buffer.concat([
    ...labels.map((label) => Buffer.from(`${String.fromCharCode(label.length)}${label}`, 'latin1')),
    Buffer.alloc(1),
  ]);
  const fields = Buffer.alloc(18);
  const numbers = [POINTER_TO_QUESTION, TYPE_SRV, CLASS_IN, 0, 60];
  for (const [index, number] of numbers.entries()) fields.writeUInt16BE(number, index * 2);
  const data = [6 + target.length, priority, weight, port];
  for (const [index, number] of data.entries()) fields.writeUInt16BE(number, 10 + index * 2);
  return Buffer.concat([fields, target]);
}
