import { readFileSync } from 'node:fs';
import type { Seat } from './oracle-ensemble.js';

/** Further lines of zoo.cfg for an ensemble whose membership a test changes. */
export const RECONFIGURABLE = { reconfigEnabled: true, skipACL: 'yes', maxSessionTimeout: 60_000 };

/** The members in the file that zoo.cfg points to, with its version, as getConfig has them. */
export function dynamicConfigOf({ configFile }: Seat): string | undefined {
  const [, file] = /^dynamicConfigFile=(.*)$/m.exec(readFileSync(configFile, 'utf8')) ?? [];
  const [, version] = /\.dynamic\.([0-9a-f]+)$/.exec(file ?? '') ?? [];
  if (file === undefined || version === undefined) return undefined;
  return linesOf(`${readFileSync(file, 'utf8')}\nversion=${version}`);
}

/** A configuration in an order of its own. */
export function linesOf(text: string): string {
  const lines = text.split('\n').map((line) => line.trim());
  return lines.filter(Boolean).sort().join('\n');
}
