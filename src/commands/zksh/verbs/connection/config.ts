import type { Result } from '../../../results/result.js';
import { clientAddresses } from '../../../znodes/client-addresses.js';
import { defineCommand } from '../../engine/command.js';
import { watchOption } from '../../engine/watch-option.js';

const CONFIG_PATH = '/zookeeper/config';

export const config = defineCommand({
  name: 'config',
  group: 'session',
  summary: 'Show the members of the ensemble',
  options: {
    client: { letter: 'c', summary: 'print only the version and the client addresses' },
    watch: { letter: 'w', summary: 'report the next change' },
    stat: { letter: 's', summary: 'also print the Stat' },
  },
  args: {},
  examples: [{ line: 'config -c', summary: 'Get the connect string of the ensemble' }],
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
