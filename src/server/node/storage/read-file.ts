import type { FileSystem } from './file-system.js';

export async function readWhole(fs: FileSystem, path: string): Promise<Buffer> {
  const file = await fs.open(path, 'read');
  try {
    const { size } = await fs.stat(path);
    const bytes = Buffer.alloc(size);
    return bytes.subarray(0, await file.read(bytes, 0));
  } finally {
    await file.close();
  }
}
