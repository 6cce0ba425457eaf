import { OpCode } from '../../../src/protocol/op-code.js';
import { ReconfigRequest } from '../../../src/protocol/proto.js';
import type { QuorumServerConfig } from '../../../src/server/config/config-ensemble.js';
import type { Random } from '../../support/random.js';
import { lineOf } from '../shape.js';
import type { Body } from './requests.js';

/** The joining server may already be a member, and the leaving one may not be. */
export function someReconfig(joiners: readonly QuorumServerConfig[], random: Random): Body {
  const someLine = () => lineOf(random.pick(joiners), random.oneIn(4) ? 'observer' : 'participant');
  const kind = random.below(7);
  const isList = kind === 0;
  const list = joiners.filter(() => random.oneIn(2)).map((member) => lineOf(member, 'participant'));
  const body = ReconfigRequest.encode({
    joiningServers: isList || kind < 3 ? '' : someLine(),
    leavingServers: isList || kind > 4 ? '' : `${random.pick(joiners).sid}`,
    newMembers: isList ? list.join() : null,
    curConfigId: -1n,
  });
  return { type: OpCode.reconfig, body };
}
