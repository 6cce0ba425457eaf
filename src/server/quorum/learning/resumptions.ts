import { LongMap } from '../../../base/long-map.js';
import type { ClientConnection } from '../../state/client-connection.js';
import type { RequestOrigin } from '../../state/request.js';

/** A client that resumes its session, until the leader says whether the session lives. */
export class Resumption implements RequestOrigin {
  readonly name = 'a client that resumes its session';
  readonly connection: ClientConnection;
  readonly sessionId: bigint;
  readonly timeoutMs: number;
  isValid = false;
  private readonly answer: (resumption: Resumption) => void;

  constructor(
    connection: ClientConnection,
    sessionId: bigint,
    timeoutMs: number,
    answer: (resumption: Resumption) => void,
  ) {
    this.connection = connection;
    this.sessionId = sessionId;
    this.timeoutMs = timeoutMs;
    this.answer = answer;
  }

  synced(): void {
    this.answer(this);
  }
}

/** By session; the leader answers in the order asked. */
export class Resumptions {
  private readonly bySession = new LongMap<Resumption[]>();

  add(resumption: Resumption): void {
    const { sessionId } = resumption;
    const waiting = this.bySession.get(sessionId);
    if (waiting === undefined) this.bySession.set(sessionId, [resumption]);
    else waiting.push(resumption);
  }

  take(sessionId: bigint): Resumption | undefined {
    const waiting = this.bySession.get(sessionId);
    const resumption = waiting?.shift();
    if (waiting?.length === 0) this.bySession.delete(sessionId);
    return resumption;
  }
}
