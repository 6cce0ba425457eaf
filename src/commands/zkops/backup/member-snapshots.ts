// Apache's server writes a snapshot under its final name. So a snapshot counts only when its copy
// is whole.

import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { snapshotsAmong } from '../../../files/recovery.js';
import { copyChecked } from '../../data-files/copy-file.js';
import { listFiles } from '../../data-files/find-files.js';
import { openPlain } from '../../data-files/open-file.js';
import type { Problem } from '../../ensemble/verdict/result.js';
import { hasCode } from '../../program/file-error.js';
import type { TaskCall } from '../calls/task.js';
import { checkSnapshot } from '../files/verify-snapshot.js';
import type { BackupFolder } from './backup-folder.js';
import { copyAs, openEncrypted } from './encrypted-file.js';

export class MemberSnapshots {
  /** By name, with size and time of the file. */
  private readonly damaged = new Map<string, { readonly state: string; readonly why: string }>();
  private readonly call: TaskCall;
  private readonly source: string;
  private readonly target: string;
  private readonly staging: string;
  private readonly key: Buffer | undefined;

  constructor(call: TaskCall, source: string, { files, staging, key }: BackupFolder) {
    this.call = call;
    this.source = source;
    this.target = files;
    this.staging = staging;
    this.key = key;
  }

  async takeNew(): Promise<number> {
    let taken = 0;
    for (const { name } of snapshotsAmong(await listFiles(this.source)).reverse()) {
      if (existsSync(join(this.target, name))) continue;
      this.call.signal.throwIfAborted();
      if (await this.take(name)) taken++;
    }
    return taken;
  }

  get problems(): readonly Problem[] {
    return [...this.damaged.values()].map(({ why }) => ({
      level: 'warning',
      code: 'damaged-snapshot',
      text: `${why}; the backup leaves it out`,
    }));
  }

  private async take(name: string): Promise<boolean> {
    const { key } = this;
    const path = join(this.source, name);
    try {
      const { size, mtimeMs } = await stat(path);
      const state = `${size} ${mtimeMs}`;
      if (this.damaged.get(name)?.state === state) return false;
      const check = async (copy: string): Promise<string | undefined> => {
        const open = key && openEncrypted(key);
        const { problems } = await checkSnapshot(this.call, copy, () => undefined, open);
        return problems[0]?.text;
      };
      const staging = join(this.staging, name);
      const places = { source: path, staging, target: join(this.target, name) };
      const makeCopy =
        key && ((source: string, copy: string) => copyAs(source, openPlain, copy, key));
      const why = await copyChecked(places, check, makeCopy);
      if (why === undefined) this.damaged.delete(name);
      else this.damaged.set(name, { state, why: why.replace(staging, () => path) });
      return why === undefined;
    } catch (error) {
      // The member has removed it since then.
      if (hasCode(error, 'ENOENT') && !existsSync(path)) return false;
      throw error;
    }
  }
}
