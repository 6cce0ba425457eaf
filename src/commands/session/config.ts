import { defineCommand } from '../command.js';
import type { Result } from '../result.js';
import { watchOption } from '../watch-option.js';

const CONFIG_PATH = '/zookeeper/config';

export const config = defineCommand({
  name: 'config',
  group: 'session',
  summary: 'show the members of the ensemble',
  options: {
    client: { letter: 'c', summary: 'only version and client addresses, as a server list' },
    watch: { letter: 'w', summary: 'tell once when it changes' },
    stat: { letter: 's', summary: 'show the Stat too' },
  },
  args: {},
  examples: [{ line: 'config -c', summary: 'what clients connect to' }],
  async run(context, { options }): Promise<Result> {
    const { data, stat } = await context.client.getConfig(watchOption(context, options.watch));
    if (options.client) return clientView(data?.toString() ?? '');
    const withStat = options.stat ? { stat } : {};
    return { kind: 'data', path: CONFIG_PATH, data, view: 'text', ...withStat };
  },
});

/** "version=100000000" and "server.1=host:2888:3888:participant;host:2181" to what clients need. */
function clientView(text: string): Result {
  const version = /^version=(\S+)/m.exec(text)?.[1] ?? '0';
  const addresses = [...text.matchAll(/^server\.\d+=([^;\n]+);(\S+)/gm)].map((match) =>
    clientAddress(match[1] ?? '', match[2] ?? ''),
  );
  return {
    kind: 'message',
    text: `${version} ${addresses.join(',')}`,
    fields: { version: `0x${version}`, servers: addresses },
  };
}

/** The client part may be a port alone, or an address that means every interface. */
function clientAddress(server: string, client: string): string {
  const host = /^(\[[^\]]+\]|[^:]+)/.exec(server)?.[1] ?? '';
  if (!client.includes(':')) return `${host}:${client}`;
  return client.replace(/^(0\.0\.0\.0|\[?::\]?)(?=:\d+$)/, host);
}
