/**
 * `npm run prove -- guides [part of a name]…`: plays the guides of docs on machines of namespaces.
 */
import { GUIDES, machinesOf } from './guides.js';
import { makeMachines } from './machines.js';

const wanted = process.argv.slice(2);
let closeOnExit: (() => void) | undefined;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    closeOnExit?.();
    process.exit(1);
  });
}
let failed = 0;
let played = 0;
for (const guide of GUIDES) {
  const { name, play } = guide;
  if (wanted.length > 0 && !wanted.some((part) => name.includes(part))) continue;
  const startedAt = Date.now();
  const machines = await makeMachines(machinesOf(guide));
  closeOnExit = machines.close;
  played++;
  try {
    await play(machines);
    console.log(`ok   ${name} (${Date.now() - startedAt} ms)`);
  } catch (error) {
    failed++;
    console.log(`FAIL ${name}\n${error instanceof Error ? error.stack : error}`);
  } finally {
    machines.close();
  }
}
console.log(`${played - failed} passed, ${failed} failed`);
process.exit(failed > 0 || played === 0 ? 1 : 0);
