import { type FileHandle, open } from 'node:fs/promises';
import { CommandError } from '../program/command-error.js';
import { ExitCode } from '../program/exit-status.js';
import { DumpFolder } from './dump-folder.js';
import { type DumpFormat, formatParts } from './dump-format.js';
import type { DumpText } from './dump-syntax.js';
import { type LineFields, recordFields, withoutData, type ZnodeRecord } from './znode-record.js';

const WRITE_LENGTH = 256 * 1024;

export interface InterruptedDump {
  /** The last complete znode; undefined if no znode was written. */
  readonly last: string | undefined;
  readonly znodes: number;
  /** The bytes of all complete parts. */
  readonly length: number;
  readonly format: DumpFormat;
}

/** The file or folder is readable only for its owner. */
export class DumpWriter {
  private readonly text: DumpText;
  private readonly lines: LineWriter;
  private readonly folder: DumpFolder | undefined;
  private readonly interrupted: InterruptedDump | undefined;
  private readonly signal: AbortSignal;
  private isFirst: boolean;

  private constructor(
    parts: { readonly text: DumpText; readonly folder: DumpFolder | undefined },
    handle: FileHandle,
    interrupted: InterruptedDump | undefined,
    signal: AbortSignal,
  ) {
    this.text = parts.text;
    this.folder = parts.folder;
    this.interrupted = interrupted;
    this.signal = signal;
    this.isFirst = interrupted === undefined || interrupted.znodes === 0;
    this.lines = new LineWriter(handle, signal);
    // The JSON format needs a newline after the last part.
    if (interrupted?.format === 'json') this.lines.addText('\n');
  }

  /** @param signal stops all writes, because another process may already resume the dump */
  static async open(
    file: string,
    format: DumpFormat,
    interrupted: InterruptedDump | undefined,
    signal: AbortSignal,
  ): Promise<DumpWriter> {
    const { text } = await formatParts(format === 'dir' ? 'ndjson' : format);
    try {
      const folder = format === 'dir' ? await openFolder(file, interrupted) : undefined;
      const handle = await openFile(folder?.index ?? file, interrupted);
      return new DumpWriter({ text, folder }, handle, interrupted, signal);
    } catch (cause) {
      throw openFault(file, cause);
    }
  }

  /** Flushes at once, because --resume needs the head. */
  async head(fields: LineFields): Promise<void> {
    const hasFiles = this.folder === undefined ? {} : { hasFiles: true };
    await this.lines.add(this.text.head({ ...fields, ...hasFiles }));
    await this.lines.flush();
  }

  async record(record: ZnodeRecord): Promise<void> {
    const fields = recordFields(record);
    if (this.folder === undefined) {
      await this.lines.add(this.text.record(fields, this.isFirst));
    } else if (!this.signal.aborted) {
      // Write the file first, so that every line has its data.
      if (record.data !== null) {
        await this.folder.write(record.path, record.data, this.interrupted !== undefined);
      }
      await this.lines.add(this.text.record(withoutData(fields), this.isFirst));
    }
    this.isFirst = false;
  }

  async end(fields: LineFields): Promise<void> {
    await this.lines.add(this.text.end(fields));
    await this.lines.flush();
    await this.lines.sync();
  }

  close(): Promise<void> {
    return this.lines.close();
  }
}

function openFolder(name: string, interrupted: InterruptedDump | undefined): Promise<DumpFolder> {
  return interrupted === undefined ? DumpFolder.create(name) : DumpFolder.at(name);
}

async function openFile(
  file: string,
  interrupted: InterruptedDump | undefined,
): Promise<FileHandle> {
  if (interrupted === undefined) return open(file, 'wx', 0o600);
  const handle = await open(file, 'r+');
  await handle.truncate(interrupted.length);
  return handle;
}

function openFault(file: string, cause: unknown): CommandError {
  const isThere = cause instanceof Error && 'code' in cause && cause.code === 'EEXIST';
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new CommandError(
    isThere ? `${file}: already exists` : `${file}: cannot write: ${reason}`,
    {
      code: isThere ? 'FILEEXISTS' : 'NOFILE',
      exitCode: ExitCode.usage,
      hint: isThere ? 'choose another name, or continue the dump with --resume' : undefined,
      cause,
    },
  );
}

class LineWriter {
  private readonly handle: FileHandle;
  private readonly signal: AbortSignal;
  private lines: string[] = [];
  private length = 0;
  private at: number | undefined;

  constructor(handle: FileHandle, signal: AbortSignal) {
    this.handle = handle;
    this.signal = signal;
  }

  async add(line: string): Promise<void> {
    this.addText(line);
    this.addText('\n');
    if (this.length >= WRITE_LENGTH) await this.flush();
  }

  addText(text: string): void {
    this.lines.push(text);
    this.length += text.length;
  }

  async flush(): Promise<void> {
    if (this.lines.length === 0 || this.signal.aborted) return;
    const bytes = Buffer.from(this.lines.join(''));
    this.lines = [];
    this.length = 0;
    this.at ??= (await this.handle.stat()).size;
    let written = 0;
    while (written < bytes.length) {
      const left = bytes.length - written;
      const step = await this.handle.write(bytes, written, left, this.at + written);
      written += step.bytesWritten;
    }
    this.at += bytes.length;
  }

  sync(): Promise<void> {
    return this.handle.sync();
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}
