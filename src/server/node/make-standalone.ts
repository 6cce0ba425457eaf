/** The core of a server that needs no other. */
import { ErrorCode } from '../../protocol/error-code.js';
import type { Config } from '../config.js';
import type { ConfigFacts } from '../host-view.js';
import { Primary } from '../pipeline/primary.js';
import { SERVER_VERSION } from '../version.js';
import { LiveView } from '../view.js';
import type { Core } from './driver.js';
import { hostViewOf } from './host.js';
import { makeAuth } from './make-auth.js';
import { makeContainers, makeServer } from './make-server.js';
import type { OpenedStorage } from './open-storage.js';

export function makeStandalone(
  config: Config,
  { storage, database, replayed }: OpenedStorage,
  facts: () => ConfigFacts,
): Core {
  const { tree, sessions } = database;
  const host = hostViewOf(storage);
  const server = makeServer({
    config,
    auth: makeAuth(config),
    sid: 0,
    ensembleSize: 1,
    tree,
    sessions: sessions.values(),
    // One server has no quorum to change.
    reconfigure: () => ErrorCode.UNIMPLEMENTED,
    makePath: (state, pathHost) =>
      new Primary(state, pathHost, {
        seed: Date.now(),
        replayed,
        listener: null,
        containers: makeContainers(config, tree),
      }),
    makeView: (made) => new LiveView(made, host, facts, SERVER_VERSION),
  });
  return {
    server,
    step: (event) => server.step(event),
    drain: () => server.drain(),
    nextWakeMs: server.nextWakeMs,
  };
}
