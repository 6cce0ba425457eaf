import { createHash } from 'node:crypto';
import { usageError } from '../../../program/command-error.js';
import { defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';

export const digest = defineCommand({
  name: 'digest',
  group: 'acl',
  summary: 'make the id that an ACL has for a user and a password',
  description:
    'What follows digest: in an ACL, user:base64(sha1(user:password)). No server is asked, and no history keeps the line.',
  options: {},
  args: { credentials: { kind: 'secret', summary: 'user:password' } },
  isLocal: true,
  examples: [{ line: 'digest ann:secret', summary: 'for setAcl /a digest:ann:...:cdrwa' }],
  async run(_, { args: { credentials } }): Promise<Result> {
    const colon = credentials.indexOf(':');
    if (colon < 1) throw usageError('credentials are user:password', undefined);
    const hash = createHash('sha1').update(credentials).digest('base64');
    const id = `${credentials.slice(0, colon)}:${hash}`;
    return { kind: 'message', text: id, fields: { scheme: 'digest', id } };
  },
});
