import { isWithin } from '../protocol/path.js';
import { HttpProblem } from './problem.js';

/** The servers' own znodes have their own tools. */
const SYSTEM = '/zookeeper';

/** Refuses changes of subtrees that must stay as they are, and deletes of what contains them. */
export class ProtectedPaths {
  readonly paths: readonly string[];

  constructor(paths: readonly string[]) {
    this.paths = [SYSTEM, ...paths];
  }

  /** @throws HttpProblem */
  check(path: string): void {
    const at = this.paths.find((each) => isWithin(path, each));
    if (at !== undefined) throw refused(path, at);
  }

  /** @throws HttpProblem */
  checkSubtree(root: string): void {
    const at = this.paths.find((each) => isWithin(root, each) || isWithin(each, root));
    if (at !== undefined) throw refused(root, at);
  }
}

function refused(path: string, at: string): HttpProblem {
  const isSystem = at === SYSTEM;
  const why = isSystem ? 'reserved for the servers' : `protected by --protect ${at}`;
  const hint = isSystem ? 'use zksh, with reconfig and setquota' : 'ask who runs the console';
  return new HttpProblem(403, 'PROTECTED', `${path}: ${why}`, { path, hint });
}
