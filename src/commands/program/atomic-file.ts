import { randomBytes } from 'node:crypto';
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';

/**
 * A file whose readers see the old or the new content, never a part. The temporary file is beside
 * it and ends in `.tmp`, which node_exporter's collector ignores. An Error keeps the old content.
 * A link stays, and the file that it names is replaced. Devices and FIFOs are written into.
 */
export class AtomicFile {
  private readonly file: string;
  /** Undefined for a device or a FIFO, which nobody may replace. */
  private readonly temporary: string | undefined;
  private readonly handle: number;

  constructor(file: string) {
    const found = statSync(file, { throwIfNoEntry: false });
    if (found !== undefined && !found.isFile()) {
      this.file = file;
      this.handle = openSync(file, constants.O_WRONLY);
      return;
    }
    this.file = found === undefined ? file : realpathSync(file);
    const temporary = `${this.file}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
    this.handle = openSync(temporary, 'wx');
    this.temporary = temporary;
    if (found !== undefined) keepOwner(this.handle, found);
  }

  write(content: string | Buffer): void {
    const bytes = Buffer.from(content);
    for (let at = 0; at < bytes.length; ) at += writeSync(this.handle, bytes, at);
  }

  /** Must be the last call. False keeps the old content. */
  close(isWhole: boolean): void {
    const { handle, temporary, file } = this;
    if (temporary === undefined) {
      closeSync(handle);
      return;
    }
    try {
      try {
        if (isWhole) fsyncSync(handle);
      } finally {
        closeSync(handle);
      }
      if (isWhole) renameSync(temporary, file);
    } finally {
      rmSync(temporary, { force: true });
    }
  }
}

/** The new file replaces the old one for the same readers. Only root may give a file away. */
function keepOwner(handle: number, { mode, uid, gid }: Stats): void {
  if (process.getuid?.() === 0) fchownSync(handle, uid, gid);
  fchmodSync(handle, mode & 0o7777);
}

export function writeAtomically(file: string, content: string | Buffer): void {
  const target = new AtomicFile(file);
  let isWhole = false;
  try {
    target.write(content);
    isWhole = true;
  } finally {
    target.close(isWhole);
  }
}
