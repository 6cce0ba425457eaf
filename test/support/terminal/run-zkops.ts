import { askWord } from '../../../src/client/base/four-letter.js';
import { askAdmin } from '../../../src/commands/ensemble/admin.js';
import { askCertificate } from '../../../src/commands/ensemble/certificate.js';
import { readConfig } from '../../../src/commands/ensemble/verdict/read-config.js';
import type { OpsResult } from '../../../src/commands/ensemble/verdict/result.js';
import { renderMembers } from '../../../src/commands/results/members.js';
import { main } from '../../../src/commands/zkops/cli.js';

export interface ZkopsRun {
  readonly exitCode: number;
  readonly out: string;
  readonly error: string;
  /** Undefined for a call that queried no member. */
  readonly result: OpsResult | undefined;
}

/**
 * A call of zkops in this process, over the real network, with the output of a pipe of 80 columns.
 */
export async function runZkops(args: readonly string[]): Promise<ZkopsRun> {
  let out = '';
  let error = '';
  let result: OpsResult | undefined;
  const exitCode = await main(args, {
    ask: askWord,
    askAdmin,
    askCertificate,
    readConfig,
    now: () => new Date(),
    terminal: { width: 80, isColor: false },
    writeOut: (text) => {
      out += text.toString();
    },
    writeError: (text) => {
      error += text;
    },
    render: (found, show) => {
      result = found;
      return renderMembers(found, show, { width: 80, isColor: false });
    },
  });
  return { exitCode, out, error, result };
}

/** The finding codes of a run, those of the ensemble first. */
export function codesOf({ result }: ZkopsRun): readonly string[] {
  return (result?.verdict.problems ?? []).map(({ code }) => code);
}

/** The role of every member in order, or why it has none. */
export function rolesOf({ result }: ZkopsRun): readonly string[] {
  return (result?.members ?? []).map(({ state, answers }) => {
    const parsed = answers.srvr?.ok === true ? answers.srvr.parsed : undefined;
    const mode = (parsed as { readonly mode?: string } | undefined)?.mode;
    return state === 'serving' ? (mode ?? state) : state;
  });
}
