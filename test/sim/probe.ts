import type { ClientNode } from './clients/client-node.js';
import type { Workload } from './clients/workload.js';
import { TICK_MS } from './nodes/peer-parts.js';
import type { Scheduler } from './scheduler.js';

/** Tries to write until a client succeeds: the ensemble works again. */
export class Probe {
  isWritten = false;
  private isAsked = false;
  private readonly scheduler: Scheduler;
  private readonly clients: readonly { readonly node: ClientNode; readonly workload: Workload }[];
  private readonly untilMs: number;

  constructor(scheduler: Scheduler, clients: Probe['clients'], untilMs: number) {
    this.scheduler = scheduler;
    this.clients = clients;
    this.untilMs = untilMs;
  }

  begin(): void {
    if (this.isWritten || this.scheduler.nowMs >= this.untilMs) return;
    const isLost = this.clients.every(({ node }) => node.sent.length === 0);
    if (!this.isAsked || isLost) this.ask();
    this.scheduler.later(TICK_MS, () => this.begin());
  }

  private ask(): void {
    const client = this.clients.find(({ node }) => node.isOpen);
    this.isAsked = client !== undefined;
    client?.workload.probe((isDone) => {
      this.isWritten = isDone;
      if (!isDone) this.isAsked = false;
    });
  }
}
