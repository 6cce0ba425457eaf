import type { ZooKeeperClient } from '../../../../client/base/client.js';
import { errorOf } from '../../../program/command-error.js';
import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';
import { findCall } from '../../engine/find-call.js';
import { wrapClient } from '../../session/wrap-client.js';

/** Methods that send no request. */
const NO_REQUESTS: ReadonlySet<string> = new Set([
  'connect',
  'close',
  'on',
  'off',
  'updateServers',
  'within',
]);

export const time = defineCommand({
  name: 'time',
  group: 'shell',
  summary: 'Run a command and print its duration and number of requests',
  options: {},
  args: {
    command: { kind: 'word', isVariadic: true, summary: 'the command; aliases are not expanded' },
  },
  isLocal: true,
  examples: [{ line: 'time du /app', summary: 'Measure the cost of a walk' }],
  async run(context, { args: { command } }): Promise<Result> {
    const timed = await findCall(command, context.commands);
    // Exclude the time to connect.
    if (timed !== undefined && timed.command.isLocal !== true) await context.session.ready();
    let requests = 0;
    const count = () => {
      requests++;
    };
    const start = performance.now();
    let end: Result = { kind: 'end' };
    for await (const outcome of context.runWords(command, (client) => counting(client, count))) {
      if (outcome.kind === 'error') throw errorOf(outcome.error);
      if (outcome.result.kind === 'exit') return outcome.result;
      if (outcome.result.kind === 'ran') end = outcome.result;
      else await context.emit(outcome.result);
    }
    const elapsedMs = Number((performance.now() - start).toFixed(3));
    const sent = `${requests} request${requests === 1 ? '' : 's'}`;
    const fields = { elapsedMs, requests };
    await context.emit({ kind: 'message', text: `${elapsedMs} ms, ${sent}`, fields });
    return end;
  },
});

function counting(client: ZooKeeperClient, count: () => void): ZooKeeperClient {
  return wrapClient(client, (name, own) => (...args: unknown[]) => {
    if (!NO_REQUESTS.has(name)) count();
    return own(...args);
  });
}
