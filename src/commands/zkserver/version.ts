import { ExitCode } from '../program/exit-status.js';
import { packageVersion } from '../program/package-version.js';
import type { ServerVerb } from './verb.js';

export const version: ServerVerb = {
  name: 'version',
  summary: 'Print the version',
  args: {},
  options: {},
  run: async (_args, io) => {
    io.writeOut(`zkserver ${packageVersion()}\n`);
    return ExitCode.ok;
  },
};
