/**
 * `npm run bench -- curves`: measures how the throughput of our server and Apache's depends on the
 * share of reads and on the cores, and how the cost of a request grows with sessions and watches.
 * Prints tables for bench/RESULTS.md, and draws docs/images/bench-*.svg.
 *
 *   npm run bench -- curves [--quick] [--only ratio,cores,sessions,watches] [--rounds 3]
 *
 * With --quick, it draws nothing. The 19,000 sessions of a server need `ulimit -n 20000`.
 */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { apacheVersion, hasApache } from '../servers.js';
import { commit, printTable } from '../table.js';
import { measureCores } from './cores.js';
import type { Curves, CurvesOptions } from './curves-options.js';
import { measureGrowth } from './growth.js';
import { plotSvg } from './plot.js';
import { measureReadRatio } from './read-ratio.js';

const PARTS: Readonly<Record<string, (options: CurvesOptions) => Promise<Curves>>> = {
  ratio: measureReadRatio,
  cores: measureCores,
  sessions: (options) => measureGrowth('sessions', options),
  watches: (options) => measureGrowth('watches', options),
};

const { values } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', default: Object.keys(PARTS).join(',') },
    rounds: { type: 'string', default: '3' },
  },
});
const isQuick = values.quick;
const home = mkdtempSync(join(tmpdir(), 'zksh-bench-'));
try {
  console.log(
    `${availableParallelism()} cores (${cpus()[0]?.model ?? 'unknown'}), commit ${commit()}, ` +
      `Node.js ${process.version}, Apache ZooKeeper ${apacheVersion()}\n`,
  );
  for (const name of values.only.split(',')) {
    const measure = PARTS[name];
    if (measure === undefined) throw new RangeError(`unknown part ${name}`);
    const { tables, plots } = await measure({
      kinds: hasApache() ? ['zksh', 'apache'] : ['zksh'],
      home,
      isQuick,
      rounds: isQuick ? 1 : Number(values.rounds),
      seconds: isQuick ? 0.5 : 1.5,
    });
    for (const table of tables) printTable(table);
    if (isQuick) continue;
    for (const { file, plot } of plots) writeFileSync(join('docs', 'images', file), plotSvg(plot));
  }
} finally {
  rmSync(home, { recursive: true, force: true });
}
