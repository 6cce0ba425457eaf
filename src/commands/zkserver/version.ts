import { packageVersion } from '../program/package-version.js';
import { Exit, type ServerVerb } from './verb.js';

export const version: ServerVerb = {
  name: 'version',
  summary: 'print the version',
  args: [],
  options: [],
  run: async (_args, io) => {
    io.writeOut(`${versionText()}\n`);
    return Exit.OK;
  },
};

export function versionText(): string {
  return `zkserver ${packageVersion()}`;
}
