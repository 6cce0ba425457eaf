import type { ZooKeeperClient } from '../../client/base/client.js';
import type { ACL } from '../../protocol/data.js';
import { checkRecipe } from './arguments.js';
import { limited, type WaitOptions } from './limit.js';
import type { Wait } from './session.js';
import type { ZnodeOptions } from './znodes.js';

export abstract class PathRecipe {
  protected readonly client: ZooKeeperClient;
  protected readonly path: string;
  protected readonly acl: readonly ACL[] | undefined;

  /** @throws RangeError for an invalid path */
  constructor(client: ZooKeeperClient, path: string, options: ZnodeOptions = {}) {
    const { acl } = checkRecipe(client, path, options, ['acl']);
    this.client = client;
    this.path = path;
    this.acl = acl;
  }

  /** Makes the requests of one call within its limits. */
  protected within<T>(options: WaitOptions, work: (wait: Wait) => Promise<T>): Promise<T> {
    return limited(options, this.waitOf(), 'no answer', (signal) => work(this.waitOf(signal)));
  }

  protected waitOf(signal?: AbortSignal): Wait {
    return { client: this.client, path: this.path, signal };
  }
}
