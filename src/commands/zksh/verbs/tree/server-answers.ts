import { formatServerAddress, type ServerAddress } from '../../../../client/base/connect-string.js';
import { askWord } from '../../../../client/base/four-letter.js';
import type { ParsedConnection } from '../../../../fourlw/base/connection-line.js';
import { cons } from '../../../../fourlw/cons.js';
import { kindOfAnswer } from '../../../../fourlw/index.js';
import { CommandError } from '../../../program/command-error.js';
import { ExitCode } from '../../../program/exit-status.js';
import { partialError } from '../../../znodes/partial-error.js';
import type { CommandContext } from '../../engine/command.js';

const ANSWER_MS = 5000;

export interface Client {
  readonly address: string;
  readonly server: string;
  readonly connection: ParsedConnection;
}

/** Sends four-letter words to all servers, and remembers the servers that did not answer. */
export class ServerAnswers {
  private readonly context: CommandContext;
  private readonly servers: readonly ServerAddress[];
  private readonly failures = new Map<string, unknown>();

  constructor(context: CommandContext, servers: readonly ServerAddress[]) {
    this.context = context;
    this.servers = servers;
  }

  async clients(): Promise<ReadonlyMap<string, Client>> {
    const clients = new Map<string, Client>();
    for (const { server, text } of await this.ask('cons')) {
      for (const connection of cons.parse(text).connections) {
        const { sessionId, remote } = connection;
        if (sessionId === undefined) continue;
        clients.set(sessionId, { address: remote, server, connection });
      }
    }
    return clients;
  }

  async ask(word: string): Promise<{ readonly server: string; readonly text: string }[]> {
    const { tls } = this.context.session;
    const { signal } = this.context;
    const answers = this.servers.map(async (address) => {
      const server = formatServerAddress(address);
      try {
        const how = { timeoutMs: ANSWER_MS, signal, tls };
        const text = (await askWord(address, word, how)).toString();
        if (kindOfAnswer(word, text) === 'answer') return { server, text };
        throw new Error(`word ${word} is not allowed; add it to 4lw.commands.whitelist`);
      } catch (error) {
        this.failures.set(server, error);
        return undefined;
      }
    });
    return (await Promise.all(answers)).filter((answer) => answer !== undefined);
  }

  /** @throws CommandError PARTIAL when a server gave no answer */
  finish(): void {
    const failures = [...this.failures].map(([path, error]) => ({ path, error }));
    if (failures.length === 0) return;
    const [only] = failures;
    if (this.servers.length === 1 && only?.error instanceof Error) {
      throw new CommandError(`${only.path}: cannot list clients: ${only.error.message}`, {
        code: 'PARTIAL',
        exitCode: ExitCode.partial,
      });
    }
    throw partialError('cannot list the clients of some servers', failures);
  }
}
