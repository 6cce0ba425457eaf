import * as assert from 'uvu/assert';
import { MEMBER_FORMATS } from '../../../src/commands/program/output-format.js';
import { hasPromtool, promtoolComplaints } from '../machine/promtool.js';
import { runZkops, type ZkopsRun } from '../terminal/run-zkops.js';
import { readProjectFile } from '../tidy/source-file.js';
import { waitFor } from '../wait-for.js';
import { schemaFaults } from './json-schema.js';

export const PATIENT = ['--timeout', '20000', '--deadline', '60000'];
/** Options that ignore slow disk writes, which are normal on a machine under load. */
export const QUIET = [
  'update_latency',
  'read_latency',
  'update_latency_p99',
  'fsync_time',
  'outstanding_requests',
].flatMap((name) => ['--warn', `${name}=off`, '--crit', `${name}=off`]);

export function health(servers: string, ...more: readonly string[]): Promise<ZkopsRun> {
  // No option is given twice.
  const patient = more.includes('--timeout') ? PATIENT.slice(2) : PATIENT;
  return runZkops(['health', '--servers', servers, ...patient, ...QUIET, ...more]);
}

/** Without the line breaks that depend on the width of the page. */
export const flat = ({ out }: ZkopsRun) => out.replace(/\s+/g, ' ');

/** Polls until the members are in the state that a test needs. */
export function lookUntil(
  what: string,
  look: () => Promise<ZkopsRun>,
  is: (run: ZkopsRun) => boolean,
) {
  return waitFor(
    what,
    async () => {
      const run = await look();
      return is(run) ? run : undefined;
    },
    60_000,
  );
}

/** Every verb that judges, in every format, against a healthy ensemble. */
export async function checkFormats(servers: string): Promise<void> {
  const schema = JSON.parse(readProjectFile('docs/zkops-1.schema.json'));
  for (const verb of ['mntr', 'check', 'quorum', 'srvr', 'health']) {
    const limits = verb === 'srvr' ? [] : QUIET;
    for (const output of MEMBER_FORMATS) {
      const args = [verb, '--servers', servers, ...PATIENT, ...limits, '-o', output];
      const { exitCode, out, error } = await runZkops(args);
      assert.equal([exitCode, error], [0, ''], `${verb} ${output}: ${out}`);
      if (output === 'json') assert.equal(schemaFaults(schema, JSON.parse(out)), []);
      if (output === 'prom' && hasPromtool) assert.is(promtoolComplaints(out), '');
      for (const server of servers.split(',')) assert.ok(out.includes(server), `${verb} ${output}`);
    }
  }
}
