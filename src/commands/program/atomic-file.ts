import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';

/**
 * A file whose readers see the old or the new content, never a part. The temporary file is beside
 * it and ends in `.tmp`, which node_exporter's collector ignores. An Error keeps the old content.
 */
export class AtomicFile {
  private readonly file: string;
  private readonly temporary: string;
  private readonly handle: number;

  constructor(file: string) {
    this.file = file;
    this.temporary = `${file}.${process.pid}.tmp`;
    this.handle = openSync(this.temporary, 'w');
  }

  write(content: string | Buffer): void {
    const bytes = Buffer.from(content);
    for (let at = 0; at < bytes.length; ) at += writeSync(this.handle, bytes, at);
  }

  /** Must be the last call. False keeps the old content. */
  close(isWhole: boolean): void {
    try {
      if (isWhole) fsyncSync(this.handle);
      closeSync(this.handle);
      if (isWhole) renameSync(this.temporary, this.file);
    } finally {
      rmSync(this.temporary, { force: true });
    }
  }
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
