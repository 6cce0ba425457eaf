import { createReadStream } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { setImmediate as endOfTurn } from 'node:timers/promises';
import { compareWalk } from '../../protocol/path.js';
import { CommandError } from '../program/command-error.js';
import { ExitCode } from '../program/exit-status.js';
import { DumpFolder } from './dump-folder.js';
import { type DumpFormat, type FileFormat, formatParts, guessFormat } from './dump-format.js';
import { type DumpSyntax, MAX_PIECE_LENGTH } from './dump-syntax.js';
import type { DumpEnd, DumpHead, DumpLine, ZnodeRecord } from './znode-record.js';

const TAIL_LENGTH = 4096;
const BYTES_PER_TURN = 256 * 1024;
/** Enough to detect the format. */
const BEGINNING_LENGTH = 64 * 1024;

export interface DumpOptions {
  /** Undefined detects the format. */
  readonly format?: DumpFormat | undefined;
  /** Accepts a dump that is cut off. */
  readonly isPartial?: boolean;
  /** Bytes of a znode in the dump. */
  readonly maxPieceLength?: number;
}

/** Reads a dump in parts. `head` and `end` are set after they were read. */
export class DumpSource {
  private readonly name: string;
  private readonly open: () => Readable;
  private readonly syntax: DumpSyntax;
  private readonly folder: DumpFolder | undefined;
  private readonly isPartial: boolean;
  private readonly maxPieceLength: number;
  readonly format: DumpFormat;
  head: DumpHead | undefined;
  end: DumpEnd | undefined;
  /** The offset after the last whole part. */
  consumed = 0;

  private constructor(
    parts: { readonly name: string; readonly format: DumpFormat; readonly syntax: DumpSyntax },
    open: () => Readable,
    { isPartial = false, maxPieceLength = MAX_PIECE_LENGTH }: DumpOptions,
    folder?: DumpFolder,
  ) {
    this.name = parts.name;
    this.format = parts.format;
    this.syntax = parts.syntax;
    this.open = open;
    this.isPartial = isPartial;
    this.maxPieceLength = maxPieceLength;
    this.folder = folder;
  }

  /** @throws CommandError NOFILE, or USAGE for the wrong format */
  static async ofFile(name: string, options: DumpOptions = {}): Promise<DumpSource> {
    const isFolder = await isDirectory(name);
    if (isFolder && fileFormat(options) !== undefined) throw unreadable(name, 'is a folder');
    if (!isFolder && options.format === 'dir') throw unreadable(name, 'not a folder');
    if (isFolder) {
      const folder = await DumpFolder.at(name);
      const parts = {
        name: folder.index,
        format: 'dir',
        ...(await formatParts('ndjson')),
      } as const;
      return new DumpSource(parts, () => createReadStream(folder.index), options, folder);
    }
    const format = fileFormat(options) ?? guessFormat(await beginningOf(name));
    const parts = { name, format, ...(await formatParts(format)) };
    return new DumpSource(parts, () => createReadStream(name), options);
  }

  static async ofBytes(
    bytes: Buffer,
    options: DumpOptions = {},
    name = 'standard input',
  ): Promise<DumpSource> {
    if (options.format === 'dir') throw unreadable(name, 'not a folder');
    const format = fileFormat(options) ?? guessFormat(bytes.toString('utf8', 0, BEGINNING_LENGTH));
    const parts = { name, format, ...(await formatParts(format)) };
    return new DumpSource(parts, () => Readable.from([bytes]), options);
  }

  /** Reads only the head. @throws CommandError if the dump cannot be read or has no head */
  async readHead(): Promise<DumpHead> {
    for await (const { line } of this.lines()) {
      if (line.kind === 'head') return line.head;
      break;
    }
    throw this.fault(1, 'missing head of a dump (expected {"zkshDump":1,…})');
  }

  /** Undefined if the dump was interrupted. */
  async readEnd(): Promise<DumpEnd | undefined> {
    const handle = await open(this.folder?.index ?? this.name, 'r');
    try {
      const { size } = await handle.stat();
      const length = Math.min(size, TAIL_LENGTH);
      const tail = Buffer.alloc(length);
      await handle.read(tail, 0, length, size - length);
      const line = this.syntax.parseEnd(tail.toString());
      return line?.kind === 'end' ? line.end : undefined;
    } finally {
      await handle.close();
    }
  }

  /** In order. @throws CommandError with file and line for invalid or unordered parts */
  async *records(): AsyncGenerator<ZnodeRecord> {
    let before: string | undefined;
    for await (const { line, number, end } of this.lines()) {
      if (line.kind === 'head') this.head = line.head;
      else if (line.kind === 'end') this.end = line.end;
      else {
        const { path } = line.record;
        if (before !== undefined && compareWalk(before, path) >= 0) {
          throw this.fault(
            number,
            `${path || '/'}: out of order (expected parents first, then by name)`,
          );
        }
        before = path;
        yield await this.withData(line, number);
      }
      this.consumed = end;
    }
  }

  private async withData(
    { record, hasData }: Extract<DumpLine, { kind: 'record' }>,
    number: number,
  ): Promise<ZnodeRecord> {
    if (hasData || this.folder === undefined) {
      if (hasData || this.head?.hasFiles !== true) return record;
      throw this.fault(
        number,
        'data is in separate files: pass the folder that contains this file',
      );
    }
    try {
      return { ...record, data: await this.folder.read(record.path) };
    } catch (error) {
      if (error instanceof RangeError) throw this.fault(number, error.message);
      throw error;
    }
  }

  private async *lines(): AsyncGenerator<{ line: DumpLine; number: number; end: number }> {
    let number = 1;
    let isBegun = false;
    let turnEnd = 0;
    this.consumed = 0;
    try {
      for await (const piece of this.syntax.split(this.chunks(), this.maxPieceLength)) {
        number = piece.number;
        // A dump in memory would keep out signals and other requests.
        if (piece.end - turnEnd > BYTES_PER_TURN) {
          turnEnd = piece.end;
          await endOfTurn();
        }
        if (!piece.isWhole && this.isPartial && isBegun) return;
        if (!piece.isWhole) throw new RangeError('unexpected end of file');
        yield { line: this.syntax.parse(piece.text), number, end: piece.end };
        isBegun = true;
      }
    } catch (error) {
      if (error instanceof RangeError) throw this.fault(number, error.message);
      throw error;
    }
  }

  private async *chunks(): AsyncGenerator<Buffer> {
    try {
      for await (const chunk of this.open()) yield chunk as Buffer;
    } catch (cause) {
      if (cause instanceof CommandError) throw cause;
      throw unreadable(this.name, cause instanceof Error ? cause.message : String(cause), cause);
    }
  }

  private fault(line: number, why: string): CommandError {
    return new CommandError(`${this.name}:${line}: ${why}`, {
      code: 'BADDUMP',
      exitCode: ExitCode.usage,
    });
  }
}

function fileFormat({ format }: DumpOptions): FileFormat | undefined {
  return format === 'dir' ? undefined : format;
}

async function isDirectory(name: string): Promise<boolean> {
  try {
    return (await stat(name)).isDirectory();
  } catch (cause) {
    throw unreadable(name, cause instanceof Error ? cause.message : String(cause), cause);
  }
}

async function beginningOf(name: string): Promise<string> {
  const handle = await open(name, 'r').catch((cause: Error) => {
    throw unreadable(name, cause.message, cause);
  });
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(BEGINNING_LENGTH));
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await handle.close();
  }
}

function unreadable(name: string, reason: string, cause?: unknown): CommandError {
  return new CommandError(`${name}: cannot read dump: ${reason}`, {
    code: 'NOFILE',
    exitCode: ExitCode.usage,
    cause,
  });
}
