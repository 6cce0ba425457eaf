import type { Readable } from 'node:stream';
import type { ClientOptions } from '../../client/base/client-options.js';
import { readClientProperties } from '../connecting/client-properties.js';
import { CommandError } from '../program/command-error.js';
import { inBackground } from '../program/in-background.js';
import { javaFault } from './cli-fault.js';
import { type CliCommandLine, parseCliCommandLine } from './command-line.js';
import { runCliCommand, runCliLine } from './run-words.js';
import { type CliClientFactory, type CliStreams, ZkCliShell } from './shell.js';

export interface CliWorld extends CliStreams {
  readonly input: Readable;
  readonly signal: AbortSignal;
  readonly createClient?: CliClientFactory;
}

/** Runs `-server host:port … command`, or the lines of standard input. @returns the exit status */
export async function runZkCli(argv: readonly string[], world: CliWorld): Promise<number> {
  const line = parseCliCommandLine(argv);
  world.out(`Connecting to ${line.server}\n`);
  let options: Partial<ClientOptions>;
  try {
    options = await clientOptions(line);
  } catch (error) {
    world.err(`${error instanceof Error ? error.message : String(error)}\n`);
    return 2;
  }
  const settings = { ...line, options };
  const shell = new ZkCliShell(settings, world, world.createClient ?? builtIn);
  const stop = () => {
    world.input.destroy();
    inBackground(shell.end(), () => undefined);
  };
  world.signal.addEventListener('abort', stop, { once: true });
  try {
    if (line.command.length > 0) {
      if (line.isWaiting && (await isUnreachable(shell, world))) return 1;
      await runCliCommand(shell, line.command);
    } else await runLines(shell, world);
    return shell.exitCode;
  } finally {
    world.signal.removeEventListener('abort', stop);
    await shell.end();
  }
}

async function isUnreachable(shell: ZkCliShell, world: CliWorld): Promise<boolean> {
  try {
    await shell.ready();
    return false;
  } catch (error) {
    world.err(`${error instanceof CommandError ? error.message : String(error)}\n`);
    return true;
  }
}

async function runLines(shell: ZkCliShell, world: CliWorld): Promise<void> {
  try {
    for await (const line of linesOf(world.input)) {
      await runCliLine(shell, line);
      if (shell.isOver || world.signal.aborted) break;
    }
  } catch (error) {
    // An interrupt closes the input.
    if (!world.signal.aborted) throw error;
  }
}

/** Lines end as in Java, not at the separators of Unicode, which a value may contain. */
async function* linesOf(input: Readable): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of input) {
    const lines = (rest + decoder.decode(chunk as Buffer, { stream: true })).split(/\r?\n/);
    rest = lines.pop() ?? '';
    yield* lines;
  }
  rest += decoder.decode();
  if (rest !== '') yield rest;
}

async function clientOptions({ configuration }: CliCommandLine): Promise<Partial<ClientOptions>> {
  if (configuration === undefined) return {};
  try {
    return await readClientProperties(configuration);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw javaFault('ConfigException', [`Error processing ${configuration}`, reason], 2);
  }
}

async function builtIn(options: ClientOptions) {
  return (await import('../../client/zookeeper.js')).createClient(options);
}
