import { setTimeout } from 'node:timers/promises';
import { defineCommand } from '../command.js';
import type { Result } from '../result.js';

export const ping = defineCommand({
  name: 'ping',
  group: 'session',
  summary: 'measure the round trip to the server of this session',
  description:
    'Each time it asks whether the root exists, which a server answers by itself; the time is that of the whole way, in milliseconds.',
  options: {
    count: {
      letter: 'c',
      kind: 'integer',
      valueName: 'N',
      min: 1,
      max: 0x7fff_ffff,
      summary: 'so often, default 5',
    },
    every: {
      kind: 'integer',
      valueName: 'MS',
      min: 0,
      max: 0x7fff_ffff,
      summary: 'wait so long between two, default 200',
    },
  },
  args: {},
  examples: [{ line: 'ping -c 20 --every 0', summary: 'twenty times, without a pause' }],
  async run(context, { options: { count = 5, every = 200 } }): Promise<Result> {
    const { client, signal, session } = context;
    const times: number[] = [];
    for (let round = 0; round < count; round++) {
      if (round > 0) await setTimeout(every, undefined, { signal });
      const start = performance.now();
      await client.exists('/');
      const elapsedMs = milliseconds(performance.now() - start);
      times.push(elapsedMs);
      const server = client.server ?? session.target;
      const text = `${server} answered in ${elapsedMs} ms`;
      await context.emit({ kind: 'message', text, fields: { server, elapsedMs } });
    }
    const sum = times.reduce((total, time) => total + time, 0);
    const [min, max] = [Math.min(...times), Math.max(...times)];
    const avg = milliseconds(sum / times.length);
    return {
      kind: 'message',
      text: `${count} answered, min/avg/max ${min}/${avg}/${max} ms`,
      fields: { count, minMs: min, avgMs: avg, maxMs: max },
    };
  },
});

function milliseconds(time: number): number {
  return Number(time.toFixed(3));
}
