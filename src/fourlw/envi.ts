import { linesOf, pairOf } from './base/lines.js';
import { anytimeWord } from './base/word.js';

export interface ParsedEnvi {
  readonly values: Readonly<Record<string, string>>;
  readonly unknown: readonly string[];
}

export const envi = anytimeWord<ParsedEnvi>({
  word: 'envi',
  summary: 'Print the environment of the process: runtime, system, user, and memory',
  render: (view) => {
    const entries = [['zookeeper.version', view.version] as const, ...view.environment()];
    return `Environment:\n${entries.map(([name, value]) => `${name}=${value}\n`).join('')}`;
  },
  parse: (text) => {
    const values: Record<string, string> = {};
    const unknown: string[] = [];
    for (const line of linesOf(text)) {
      const pair = pairOf(line);
      if (pair !== undefined) values[pair[0]] = pair[1];
      else if (line.trim() !== 'Environment:') unknown.push(line);
    }
    return { values, unknown };
  },
});
