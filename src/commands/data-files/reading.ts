import { RunFault } from '../ensemble/run-fault.js';

/** Gives what a call of the file system gives; its error becomes a sentence that names the file. */
export async function reading<Value>(path: string, promise: Promise<Value>): Promise<Value> {
  try {
    return await promise;
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    const why =
      code === 'ENOENT'
        ? 'there is no such file'
        : code === 'EACCES'
          ? 'no permission to read it'
          : code === 'EISDIR'
            ? 'it is a folder'
            : cause instanceof Error
              ? cause.message
              : String(cause);
    throw new RunFault(`${path} cannot be read: ${why}`, { cause });
  }
}
