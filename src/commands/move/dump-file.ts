import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { CommandError, ExitCode } from '../command-error.js';
import { compareWalk } from '../walk.js';
import {
  type DumpEnd,
  type DumpHead,
  type DumpLine,
  parseDumpLine,
  type ZnodeRecord,
} from './znode-record.js';

/** Longer than any znode of a server with its defaults, as base64. */
const MAX_LINE_LENGTH = 256 * 1024 * 1024;
const TAIL_LENGTH = 4096;

/** A dump that is read line by line; head and end are known when they went by. */
export class DumpSource {
  readonly #open: () => Readable;
  readonly #name: string;
  head: DumpHead | undefined;
  end: DumpEnd | undefined;
  /** Where the last whole line ended. */
  consumed = 0;

  /** @param open gives the bytes from their beginning, each time */
  constructor(name: string, open: () => Readable) {
    this.#name = name;
    this.#open = open;
  }

  static ofFile(file: string): DumpSource {
    return new DumpSource(file, () => createReadStream(file));
  }

  static ofBytes(bytes: Buffer): DumpSource {
    return new DumpSource('standard input', () => Readable.from([bytes]));
  }

  /** The head alone. @throws CommandError when the dump cannot be read, or has none */
  async readHead(): Promise<DumpHead> {
    for await (const { line } of this.#lines()) {
      if (line.kind === 'head') return line.head;
      break;
    }
    throw this.#fault(1, 'it is not the head of a dump: {"zkshDump":1,…}');
  }

  /**
   * The znodes, in their order.
   * @throws CommandError with file and line for what is no dump, or out of order
   */
  async *records(): AsyncGenerator<ZnodeRecord> {
    let before: string | undefined;
    for await (const { line, number } of this.#lines()) {
      if (line.kind === 'head') this.head = line.head;
      else if (line.kind === 'end') this.end = line.end;
      else {
        const { path } = line.record;
        if (before !== undefined && compareWalk(before, path) >= 0) {
          throw this.#fault(number, `${path || '/'} comes too late: parents first, then by name`);
        }
        before = path;
        yield line.record;
      }
    }
  }

  async *#lines(): AsyncGenerator<{ line: DumpLine; number: number }> {
    let number = 0;
    this.consumed = 0;
    for await (const bytes of this.#split()) {
      number++;
      const text = bytes.toString('utf8', 0, bytes.length - 1);
      try {
        if (bytes.at(-1) !== NEWLINE) throw new RangeError('it ends within the line');
        const line = parseDumpLine(text);
        this.consumed += bytes.length;
        yield { line, number };
      } catch (error) {
        if (error instanceof RangeError) throw this.#fault(number, error.message);
        throw error;
      }
    }
  }

  /** Lines with their newline; the last one may lack it. */
  async *#split(): AsyncGenerator<Buffer> {
    const rest: Buffer[] = [];
    let length = 0;
    for await (const chunk of this.#chunks()) {
      let start = 0;
      for (let at = chunk.indexOf(NEWLINE); at !== -1; at = chunk.indexOf(NEWLINE, start)) {
        const piece = chunk.subarray(start, at + 1);
        yield rest.length === 0 ? piece : Buffer.concat([...rest, piece]);
        rest.length = 0;
        length = 0;
        start = at + 1;
      }
      if (start < chunk.length) rest.push(chunk.subarray(start));
      length += chunk.length - start;
      if (length > MAX_LINE_LENGTH) throw this.#fault(0, 'a line is longer than any znode');
    }
    if (rest.length > 0) yield Buffer.concat(rest);
  }

  async *#chunks(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of this.#open()) yield chunk as Buffer;
    } catch (cause) {
      if (cause instanceof CommandError) throw cause;
      const reason = cause instanceof Error ? cause.message : String(cause);
      throw new CommandError(`cannot read the dump ${this.#name}: ${reason}`, {
        code: 'NOFILE',
        exitCode: ExitCode.usage,
        cause,
      });
    }
  }

  #fault(line: number, why: string): CommandError {
    return new CommandError(`${this.#name}:${line}: ${why}`, {
      code: 'BADDUMP',
      exitCode: ExitCode.usage,
    });
  }
}

const NEWLINE = 0x0a;

/** The last line of a dump; undefined when it was interrupted before it. */
export async function readEnd(file: string): Promise<DumpEnd | undefined> {
  const handle = await open(file, 'r');
  try {
    const { size } = await handle.stat();
    const length = Math.min(size, TAIL_LENGTH);
    const tail = Buffer.alloc(length);
    await handle.read(tail, 0, length, size - length);
    const line = /\n(\{"end":true,[^\n]*\})\n$/.exec(tail.toString())?.[1];
    const parsed = line === undefined ? undefined : parseDumpLine(line);
    return parsed?.kind === 'end' ? parsed.end : undefined;
  } finally {
    await handle.close();
  }
}
