import { runFault } from '../ensemble/run-fault.js';
import { filesOf, type NamedFile } from './find-files.js';

export async function oneSnapshot(path: string): Promise<NamedFile> {
  const [newest] = await filesOf([path], 'snapshot');
  if (newest === undefined) throw runFault(`${path}: has no snapshot`);
  return newest;
}
