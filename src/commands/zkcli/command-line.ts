import { usageError } from '../program/command-error.js';

export interface CliCommandLine {
  readonly server: string;
  readonly timeoutMs: number;
  readonly isReadOnly: boolean;
  readonly isWaiting: boolean;
  readonly configuration: string | undefined;
  /** If empty, the shell reads lines from standard input. */
  readonly command: readonly string[];
}

/**
 * Parses the arguments after `zksh --zkcli`. As in Apache's shell, options end at the first word
 * without a dash, and unknown ones are ignored. An option without its value is an error. Apache's
 * shell would use localhost, which may be the wrong cluster.
 * @throws CommandError USAGE
 */
export function parseCliCommandLine(argv: readonly string[]): CliCommandLine {
  const line = { server: 'localhost:2181', timeout: '30000', r: false, wait: false };
  let configuration: string | undefined;
  const rest = [...argv];
  const takeValue = (flag: string): string => {
    const value = rest.shift();
    if (value !== undefined && !value.startsWith('-')) return value;
    throw usageError(`Error: no argument found for option ${flag}`);
  };
  while (rest[0]?.startsWith('-') === true) {
    const flag = rest.shift();
    if (flag === '-server') line.server = takeValue(flag);
    else if (flag === '-timeout') line.timeout = takeValue(flag);
    else if (flag === '-client-configuration') configuration = takeValue(flag);
    else if (flag === '-r') line.r = true;
    else if (flag === '-waitforconnection') line.wait = true;
  }
  if (!/^\d{1,9}$/.test(line.timeout) || Number(line.timeout) === 0) {
    throw usageError(
      `-timeout: invalid number: "${line.timeout}" (expected milliseconds)`,
      undefined,
    );
  }
  return {
    server: line.server,
    timeoutMs: Number(line.timeout),
    isReadOnly: line.r,
    isWaiting: line.wait,
    configuration,
    command: rest,
  };
}
