import { closeSync, fsyncSync, openSync, renameSync, rmSync, writeSync } from 'node:fs';

/**
 * Writes a file so that a reader finds the old content or the new one, and never half of it. The
 * temporary file stands beside it and ends in `.tmp`, which node_exporter's collector passes over.
 * @throws Error of the file system; then the old content is still there
 */
export function writeAtomically(file: string, content: string | Buffer): void {
  const temporary = `${file}.${process.pid}.tmp`;
  try {
    const handle = openSync(temporary, 'w');
    try {
      const bytes = Buffer.from(content);
      for (let at = 0; at < bytes.length; ) at += writeSync(handle, bytes, at);
      fsyncSync(handle);
    } finally {
      closeSync(handle);
    }
    renameSync(temporary, file);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}
