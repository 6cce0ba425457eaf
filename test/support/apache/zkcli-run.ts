import { Readable } from 'node:stream';
import { runZkCli } from '../../../src/commands/zkcli/main.js';

export interface ZkCliRun {
  readonly out: string;
  /** Without the lines of every start: the server, and the event of the connection. */
  readonly result: string;
  readonly err: string;
  readonly code: number;
}

const START = /^Connecting to .*\n(\nWATCHER::\n\nWatchedEvent state:SyncConnected .*\n)?/;

/** Runs `zksh --zkcli -server TARGET …` in this process. */
export async function runCli(
  target: string,
  words: readonly string[],
  input = '',
): Promise<ZkCliRun> {
  const out: Buffer[] = [];
  let err = '';
  const code = await runZkCli(['-server', target, ...words], {
    input: Readable.from([Buffer.from(input)]),
    signal: new AbortController().signal,
    out: (text) => void out.push(Buffer.from(text)),
    err: (text) => {
      err += text;
    },
  });
  const text = Buffer.concat(out).toString();
  return { out: text, result: text.replace(START, ''), err, code };
}
