import {
  type EnsembleLines,
  isEnsembleKey,
  parseEnsembleLine,
} from '../../server/config/config-ensemble.js';
import { parseProperties } from '../../server/config/java-properties.js';
import {
  formatQuorumConfig,
  makeQuorumConfig,
} from '../../server/quorum/membership/quorum-config.js';

/**
 * The lines `server.N`, `group.N`, and `weight.N` of a zoo.cfg or a dynamic file, as Apache's
 * reconfig sends them. Other lines are left out, and so is the version, which the server sets.
 * @throws RangeError without members, or for lines that every server refuses
 */
export function membersOf(text: string): string {
  const { properties, problems } = parseProperties(text.replace(/^\ufeff/, ''));
  const [syntax] = problems;
  if (syntax !== undefined) throw new RangeError(`line ${syntax.line}: ${syntax.message}`);
  const lines: EnsembleLines = { servers: new Map(), groups: new Map(), weights: new Map() };
  for (const { key, value, line } of properties) {
    if (!isEnsembleKey(key)) continue;
    const problem = parseEnsembleLine(lines, key, value.trim());
    if (problem !== undefined) throw new RangeError(`line ${line}: ${problem}`);
  }
  if (lines.servers.size === 0) throw new RangeError('the file has no server.N= line');
  const config = makeQuorumConfig(lines, 0n);
  if (typeof config === 'string') throw new RangeError(config);
  return formatQuorumConfig(config).replace(/\nversion=0$/, '');
}
