import { SERVER_VERSION } from '../../../base/version.js';
import { ErrorCode } from '../../../protocol/error-code.js';
import type { ConfigFacts } from '../../admin/host-view.js';
import { LiveView } from '../../admin/view.js';
import type { Config } from '../../config/config.js';
import { Primary } from '../../pipeline/primary.js';
import { Standalone } from '../../standalone.js';
import type { OpenedStorage } from '../storage/open-storage.js';
import { hostViewOf } from './host.js';
import { makeAuth } from './make-auth.js';
import { makeContainers, makeServer } from './make-server.js';
import { makeSessionPasswords } from './session-passwords.js';

export function makeStandalone(
  config: Config,
  { storage, database, replayed }: OpenedStorage,
  facts: () => ConfigFacts,
): Standalone {
  const host = hostViewOf(storage);
  const auth = makeAuth(config);
  const passwordOf = makeSessionPasswords(config);
  const { tree: first, sessions } = database;
  return new Standalone(
    ({ tree, sessions: known }, stats) =>
      makeServer({
        config,
        auth,
        passwordOf,
        sid: 0,
        ensembleSize: 1,
        tree,
        sessions: known,
        ...(stats === undefined ? {} : { stats }),
        reconfigure: () => ErrorCode.UNIMPLEMENTED,
        makePipeline: (state, pipelineHost) =>
          new Primary(state, pipelineHost, {
            seed: Date.now(),
            // Replayed txns count toward the next snapshot; a restored tree was just written.
            replayed: tree === first ? replayed : 0,
            listener: null,
            containers: makeContainers(config, tree),
          }),
        makeView: (made) => new LiveView(made, host, facts, SERVER_VERSION),
      }),
    { tree: first, sessions: [...sessions.values()] },
  );
}
