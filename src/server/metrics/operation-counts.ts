import type { OperationCounterName } from '../../fourlw/base/mntr-keys.js';
import { OpCode } from '../../protocol/op-code.js';

/** The lowest request type is closeSession, -11. */
const FIRST = OpCode.closeSession;
const TYPES = OpCode.whoAmI - FIRST + 1;

/** Two types of one counter differ only in their requests, as in FinalRequestProcessor of 3.10. */
const TYPES_OF: Readonly<
  Record<Exclude<OperationCounterName, 'op_count_total'>, readonly OpCode[]>
> = {
  op_count_add_watch: [OpCode.addWatch],
  op_count_check: [OpCode.check],
  op_count_check_watches: [OpCode.checkWatches],
  op_count_close_session: [OpCode.closeSession],
  op_count_create: [OpCode.create, OpCode.create2, OpCode.createContainer, OpCode.createTTL],
  op_count_create_session: [OpCode.createSession],
  op_count_delete: [OpCode.delete, OpCode.deleteContainer],
  op_count_exists: [OpCode.exists],
  op_count_get_acl: [OpCode.getACL],
  op_count_get_all_children_number: [OpCode.getAllChildrenNumber],
  op_count_get_children: [OpCode.getChildren, OpCode.getChildren2],
  op_count_get_data: [OpCode.getData],
  op_count_get_ephemerals: [OpCode.getEphemerals],
  op_count_multi: [OpCode.multi],
  op_count_multi_read: [OpCode.multiRead],
  op_count_ping: [OpCode.ping],
  op_count_reconfig: [OpCode.reconfig],
  op_count_remove_watches: [OpCode.removeWatches],
  op_count_set_acl: [OpCode.setACL],
  op_count_set_data: [OpCode.setData],
  op_count_set_watches: [OpCode.setWatches, OpCode.setWatches2],
  op_count_sync: [OpCode.sync],
  op_count_who_am_i: [OpCode.whoAmI],
};

/** By type. A refused write does not count, a read always does. A multi counts as one. */
export class OperationCounts {
  private readonly byType = new Float64Array(TYPES);

  /** @param type others than those of a client's request count nowhere */
  count(type: number): void {
    const at = type - FIRST;
    if (at >= 0 && at < TYPES) this.byType[at] = (this.byType[at] ?? 0) + 1;
  }

  view(): Partial<Record<OperationCounterName, number>> {
    const counters = Object.entries(TYPES_OF).map(([name, types]) => {
      const count = types.reduce<number>((sum, type) => sum + (this.byType[type - FIRST] ?? 0), 0);
      return [name, count] as const;
    });
    const total = counters.reduce((sum, [, count]) => sum + count, 0);
    return { ...Object.fromEntries(counters), op_count_total: total };
  }

  reset(): void {
    this.byType.fill(0);
  }
}
