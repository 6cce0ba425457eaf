import { askWord, createClient, type SessionClient } from '../../../src/client/index.js';
import type { Seat } from '../apache/oracle-ensemble.js';

/** A session with the server in that seat, for the duration of the work. */
export async function withClient<T>(
  seat: Pick<Seat, 'connectString'>,
  work: (client: SessionClient) => Promise<T>,
): Promise<T> {
  const client = createClient({ connectString: seat.connectString });
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.close();
  }
}

/** The response of that server to a word. */
export async function ask({ clientPort: port }: Seat, word: string): Promise<string> {
  return `${await askWord({ host: '127.0.0.1', port }, word)}`;
}
