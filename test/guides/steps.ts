import * as assert from 'uvu/assert';
import type { MachineName, Machines } from './machines.js';

export async function must(machines: Machines, name: MachineName, script: string): Promise<string> {
  const { status, output } = await machines.run(name, `set -e\n${script}`);
  assert.is(status, 0, `${name}: ${script}\n${output}`);
  return output;
}

export async function isActive(
  machines: Machines,
  name: MachineName,
  unit: string,
): Promise<boolean> {
  return (await machines.run(name, `systemctl --quiet is-active ${unit}`)).status === 0;
}
