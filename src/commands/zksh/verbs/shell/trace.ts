import { CommandError } from '../../../program/command-error.js';
import { ExitCode } from '../../../program/exit-status.js';
import type { Result } from '../../../results/result.js';
import { defineCommand } from '../../engine/command.js';

export const trace = defineCommand({
  name: 'trace',
  group: 'shell',
  summary: 'Turn the trace of requests and answers on or off',
  description:
    'Prints one line for each request (->) and answer (<-), including pings. A line has the operation, the path including the chroot, xid, zxid, error, frame size, and latency. Data and credentials are never printed. A script can turn on the trace only if zksh was started with --trace. Without an argument, trace prints the current setting.',
  options: {},
  args: {
    switch: { kind: 'text', choices: ['on', 'off'], isOptional: true, summary: 'on or off' },
  },
  isLocal: true,
  examples: [
    { line: 'trace on; mv /a /b; trace off', summary: 'See the requests that a command sends' },
  ],
  async run({ session: { tracer } }, { args }): Promise<Result> {
    if (args.switch === undefined) {
      const state = tracer?.isOn === true ? 'on' : 'off';
      return { kind: 'message', text: `trace is ${state}`, fields: { trace: state } };
    }
    if (tracer !== undefined) tracer.isOn = args.switch === 'on';
    else if (args.switch === 'on') {
      throw new CommandError('trace: not available here', {
        code: 'USAGE',
        exitCode: ExitCode.usage,
        hint: 'start zksh with --trace and the builtin client',
      });
    }
    return { kind: 'done', done: 'trace' };
  },
});
