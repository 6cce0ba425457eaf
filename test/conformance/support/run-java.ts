import { spawnJava } from '../../support/apache/oracle.js';

export interface JavaOutcome {
  readonly exitCode: number | null;
  readonly out: string;
}

/**
 * Runs one of Apache's programs to its end.
 * @param jars in addition to the server's
 */
export function runJavaWith(
  jars: readonly string[],
  args: readonly string[],
): Promise<JavaOutcome> {
  const child = spawnJava(args, { 'user.timezone': 'UTC', 'file.encoding': 'UTF-8' }, jars);
  let out = '';
  child.stdout?.on('data', (chunk) => {
    out += chunk;
  });
  child.stderr?.resume();
  return new Promise((resolve) => {
    child.once('close', (exitCode) => resolve({ exitCode, out }));
  });
}
