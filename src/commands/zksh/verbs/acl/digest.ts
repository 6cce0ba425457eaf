import { createHash } from 'node:crypto';
import { usageError } from '../../../program/command-error.js';
import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';

export const digest = defineCommand({
  name: 'digest',
  group: 'acl',
  summary: 'Compute the digest id of a user and password',
  description:
    'Prints the id for a digest ACL entry: user:base64(sha1(user:password)). Needs no server. The history does not record the line.',
  options: {},
  args: { credentials: { kind: 'secret', summary: 'user:password' } },
  isLocal: true,
  examples: [
    { line: 'digest ann:secret', summary: 'Compute an id for setAcl /a digest:ann:...:cdrwa' },
  ],
  async run(_, { args: { credentials } }): Promise<Result> {
    const colon = credentials.indexOf(':');
    if (colon < 1) throw usageError('digest: invalid credentials (expected user:password)');
    const hash = createHash('sha1').update(credentials).digest('base64');
    const id = `${credentials.slice(0, colon)}:${hash}`;
    return { kind: 'message', text: id, fields: { scheme: 'digest', id } };
  },
});
