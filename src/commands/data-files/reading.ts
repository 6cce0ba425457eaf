import { runFault } from '../ensemble/run-fault.js';

/** Turns an error of the file system into a CommandError that names the file. */
export async function reading<Value>(path: string, promise: Promise<Value>): Promise<Value> {
  try {
    return await promise;
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    const why =
      code === 'ENOENT'
        ? 'the file does not exist'
        : code === 'EACCES'
          ? 'no permission to read it'
          : code === 'EISDIR'
            ? 'it is a folder'
            : cause instanceof Error
              ? cause.message
              : String(cause);
    throw runFault(`${path}: cannot read: ${why}`, { cause });
  }
}
