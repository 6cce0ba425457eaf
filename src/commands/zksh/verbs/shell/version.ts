import { packageVersion } from '../../../program/package-version.js';
import { defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';

export const version = defineCommand({
  name: 'version',
  group: 'shell',
  summary: 'show the version of zksh',
  options: {},
  args: {},
  isLocal: true,
  examples: [{ line: 'version', summary: 'as zksh --version' }],
  async run(): Promise<Result> {
    const found = packageVersion();
    return { kind: 'message', text: `zksh ${found}`, fields: { version: found } };
  },
});
