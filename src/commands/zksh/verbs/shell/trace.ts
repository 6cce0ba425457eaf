import { CommandError, ExitCode } from '../../../program/command-error.js';
import { defineCommand } from '../../engine/command.js';
import type { Result } from '../../results/result.js';

export const trace = defineCommand({
  name: 'trace',
  group: 'shell',
  summary: 'show each request and each answer on the wire, or no longer',
  description:
    'A line for what is sent (->) and what comes (<-): operation, path as the server hears it, with the chroot, xid, zxid, error, bytes of the frame, and the milliseconds between the two. Data is never shown, nor what an authentication proves. Pings of the session are among them. Where zksh was not started with --trace, a script cannot switch it on. Without a word it says whether it is on.',
  options: {},
  args: {
    switch: { kind: 'text', choices: ['on', 'off'], isOptional: true, summary: 'on or off' },
  },
  isLocal: true,
  examples: [
    { line: 'trace on; mv /a /b; trace off', summary: 'what a command asks of the server' },
  ],
  async run({ session: { tracer } }, { args }): Promise<Result> {
    if (args.switch === undefined) {
      const state = tracer?.isOn === true ? 'on' : 'off';
      return { kind: 'message', text: `trace is ${state}`, fields: { trace: state } };
    }
    if (tracer !== undefined) tracer.isOn = args.switch === 'on';
    else if (args.switch === 'on') {
      throw new CommandError('nothing of the wire is seen here', {
        code: 'USAGE',
        exitCode: ExitCode.usage,
        hint: 'zksh --trace does, with the builtin client',
      });
    }
    return { kind: 'done', done: 'trace' };
  },
});
