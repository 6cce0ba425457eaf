import { readFileSync } from 'node:fs';
import { parseConfig } from '../../../src/server/config/parse-config.js';
import { type RunningServer, startServer } from '../../../src/server/main.js';
import { type Member, makeSeats, type Seats } from '../../support/apache/oracle-ensemble.js';

/** Seats with bundled servers, in this process, and Apache's. */
export interface MixedEnsemble {
  readonly seats: Seats;
  readonly ours: Map<number, RunningServer>;
  readonly theirs: Map<number, Member>;
  /** Bundled servers in separate processes. */
  readonly apart: Map<number, Member>;
  /** Notes of the bundled servers, by sid. */
  readonly notes: Map<number, string[]>;
  /** Warnings of the bundled servers, by sid. */
  readonly warnings: Map<number, string[]>;
  /** @param properties as for -D, and further keys of zoo.cfg */
  startOurs(sid: number, properties?: Readonly<Record<string, string>>): Promise<void>;
  /** Starts a bundled server as a separate process. @param properties as for -D */
  startApart(sid: number, properties?: Readonly<Record<string, string>>): void;
  startTheirs(sid: number, properties?: Readonly<Record<string, string>>): void;
  stop(sid: number): Promise<void>;
}

const SHOWN_LINES = 30;
/** A mismatch names its txn only where it is found, which may be long before a test sees it. */
const MISMATCH = /digests are not matching|digest mismatch/i;

/** The mismatches come first, as the rest may be cut. */
function shownOutputs(outputs: readonly (readonly [sid: number, lines: readonly string[]])[]) {
  const mismatches = outputs.map(
    ([sid, lines]) =>
      [sid, lines.filter((line) => MISMATCH.test(line)).slice(0, SHOWN_LINES)] as const,
  );
  const ends = outputs.map(([sid, lines]) => [sid, lines.slice(-SHOWN_LINES)] as const);
  return [...mismatches.filter(([, lines]) => lines.length > 0), ...ends]
    .map(([sid, lines]) => [sid, ...lines].join('\n  '))
    .join('\n');
}

/** Prepares the seats, runs `body`, and cleans up. An error includes the output of the servers. */
export async function withMixedEnsemble(
  options: Parameters<typeof makeSeats>[0],
  body: (ensemble: MixedEnsemble) => Promise<void>,
): Promise<void> {
  const seats = await makeSeats(options);
  const ours = new Map<number, RunningServer>();
  const theirs = new Map<number, Member>();
  const apart = new Map<number, Member>();
  const notes = new Map<number, string[]>();
  const warnings = new Map<number, string[]>();
  try {
    await body({
      seats,
      ours,
      theirs,
      apart,
      notes,
      warnings,
      startOurs: async (sid, properties = {}) => {
        const { configFile } = seats.of(sid);
        const result = parseConfig(readFileSync(configFile, 'utf8'), {
          fileName: configFile,
          properties,
        });
        if (!('config' in result)) throw new Error(result.errors[0]?.text);
        const said = notes.get(sid) ?? [];
        notes.set(sid, said);
        const warned = warnings.get(sid) ?? [];
        warnings.set(sid, warned);
        const server = await startServer({
          parsed: result.config,
          configFile,
          onReport: (report) => {
            if ('message' in report) said.push(report.message);
          },
          onWarning: (message) => warned.push(message),
          onFatal: (error) => said.push(`FATAL ${error.message}`),
        });
        ours.set(sid, server);
      },
      startApart: (sid, properties) => apart.set(sid, seats.startBundled(sid, properties)),
      startTheirs: (sid, properties) => theirs.set(sid, seats.startApache(sid, properties)),
      stop: async (sid) => {
        await ours.get(sid)?.close();
        await theirs.get(sid)?.stop();
        await apart.get(sid)?.stop();
        for (const members of [ours, theirs, apart]) members.delete(sid);
      },
    });
  } catch (error) {
    if (error instanceof Error) {
      const outputs = [...theirs, ...apart].map(
        ([sid, member]) => [sid, member.output().split('\n')] as const,
      );
      error.message += `\n${shownOutputs([...outputs, ...notes])}`;
    }
    throw error;
  } finally {
    for (const server of ours.values()) await server.close();
    await seats.close();
  }
}
