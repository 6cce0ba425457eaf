import { packageVersion } from '../../../program/package-version.js';
import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';

export const version = defineCommand({
  name: 'version',
  group: 'shell',
  summary: 'Print the version of zksh',
  options: {},
  args: {},
  isLocal: true,
  examples: [{ line: 'version', summary: 'Print the version, as zksh --version does' }],
  async run(): Promise<Result> {
    const found = packageVersion();
    return { kind: 'message', text: `zksh ${found}`, fields: { version: found } };
  },
});
