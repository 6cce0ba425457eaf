/** The last changes of each login, with what they replaced, for undo: as zksh keeps it. */

import type { ZooKeeperClient } from '../client/base/client.js';
import { ExitCode } from '../commands/program/exit-status.js';
import { recordingClient } from '../commands/zksh/changes/recording-client.js';
import { makeUndoPlan, takeBack, type UndoPlan } from '../commands/zksh/changes/undo-plan.js';
import { CommandChanges } from '../commands/zksh/session/change-journal.js';
import type { ChangeEntry, UndoView } from './api/shapes.js';
import { HttpProblem } from './problem.js';

const MAX_ENTRIES = 30;
const LIMITS = { maxZnodes: 10_000, maxBytes: 4 * 1024 * 1024 };
const MAX_SHOWN = 100;

interface Entry {
  readonly id: number;
  readonly time: string;
  readonly user: string | null;
  readonly changes: CommandChanges;
}

export class ChangeLog {
  /** Newest first. */
  private entries: readonly Entry[] = [];
  private lastId = 0;
  private readonly now: () => Date;

  constructor(now: () => Date) {
    this.now = now;
  }

  /** Runs a change, and keeps what it replaced, also if it fails in the middle. */
  async record<T>(
    user: string | null,
    title: string,
    client: ZooKeeperClient,
    work: (recorded: ZooKeeperClient) => Promise<T>,
  ): Promise<T> {
    const changes = new CommandChanges(title, '', LIMITS);
    try {
      return await work(recordingClient(client, changes));
    } finally {
      if (!changes.isEmpty) this.add({ time: this.now().toISOString(), user, changes });
    }
  }

  private add(entry: Omit<Entry, 'id'>): void {
    this.entries = [{ id: ++this.lastId, ...entry }, ...this.entries].slice(0, MAX_ENTRIES);
  }

  list(user: string | null): readonly ChangeEntry[] {
    const own = this.entries.filter((entry) => entry.user === user);
    return own.map(({ id, time, changes: { title, znodes, refusal = null } }) => ({
      id,
      time,
      title,
      znodes: znodes.length,
      refusal,
    }));
  }

  /** @throws HttpProblem */
  titleOf(user: string | null, id: number): string {
    return this.find(user, id).changes.title;
  }

  /** What an undo would do. @throws HttpProblem */
  async plan(user: string | null, id: number, client: ZooKeeperClient): Promise<UndoView> {
    const { changes } = this.find(user, id);
    const { steps, conflicts, lost } = await makeUndoPlan(client, changes);
    return {
      id,
      title: changes.title,
      steps: steps.slice(0, MAX_SHOWN).map(({ path, what, detail }) => ({ path, what, detail })),
      total: steps.length,
      conflicts: conflicts.slice(0, MAX_SHOWN),
      lost: lost.slice(0, MAX_SHOWN),
    };
  }

  /** Records the undo too, so that it can be undone. @throws HttpProblem, ZooKeeperError */
  async undo(user: string | null, id: number, client: ZooKeeperClient): Promise<UndoPlan> {
    const { changes } = this.find(user, id);
    const plan = await makeUndoPlan(client, changes);
    const [conflict] = plan.conflicts;
    if (conflict !== undefined) {
      const detail = `${conflict.path}: changed since: ${conflict.why}`;
      const { path } = conflict;
      throw new HttpProblem(409, 'CONFLICT', detail, { exitCode: ExitCode.badVersion, path });
    }
    await this.record(user, `undo of: ${changes.title}`, client, (recorded) =>
      takeBack(recorded, plan),
    );
    this.entries = this.entries.filter((entry) => entry.id !== id);
    return plan;
  }

  private find(user: string | null, id: number): Entry {
    const found = this.entries.find((entry) => entry.id === id && entry.user === user);
    if (found === undefined) {
      throw new HttpProblem(404, 'UNKNOWN', `change ${id}: not kept, or of another login`);
    }
    const { refusal } = found.changes;
    if (refusal === undefined) return found;
    throw new HttpProblem(409, 'NOUNDO', `change ${id}: cannot be undone: ${refusal}`);
  }
}
