import { packageVersion } from '../program/package-version.js';
import { type ServerVerb, said } from './verb.js';

export const version: ServerVerb = {
  name: 'version',
  summary: 'Print the version',
  args: {},
  options: {},
  run: async () => said(`zkserver ${packageVersion()}`),
};
