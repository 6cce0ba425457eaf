import { clientAddresses } from '../../../znodes/client-addresses.js';
import { defineCommand } from '../../engine/command.js';
import { watchOption } from '../../engine/watch-option.js';
import type { Result } from '../../results/result.js';

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

function clientView(text: string): Result {
  const { version, servers } = clientAddresses(text);
  return {
    kind: 'message',
    text: `${version === '' ? '0' : version} ${servers.join(',')}`,
    fields: { version: `0x${version === '' ? '0' : version}`, servers },
  };
}
