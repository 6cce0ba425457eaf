/** The ensembles to compare. Each member is a separate process on the loopback interface. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BenchServer, freePort, type ServerKind, startBenchServer } from './servers.js';

export interface Member {
  readonly folder: string;
  readonly port: number;
  readonly lines: readonly string[];
  server: BenchServer;
}

export interface Ensemble {
  readonly kind: ServerKind;
  readonly members: Member[];
  readonly readyMs: number;
}

/** @param options more lines for each zoo.cfg; @param own those of one member */
export async function startEnsemble(
  kind: ServerKind,
  home: string,
  options: readonly string[] = [],
  size = 3,
  own: (sid: number) => readonly string[] = () => [],
): Promise<Ensemble> {
  const sids = Array.from({ length: size }, (_, i) => i + 1);
  const servers: string[] = [];
  for (const sid of sids) {
    servers.push(`server.${sid}=127.0.0.1:${await freePort()}:${await freePort()}`);
  }
  const shared = [...servers, 'initLimit=10', 'syncLimit=5', ...options];
  const startedAt = performance.now();
  const members = await Promise.all(
    sids.map(async (sid) => {
      const folder = join(home, `${kind}-${sid}`);
      mkdirSync(join(folder, 'data'), { recursive: true });
      writeFileSync(join(folder, 'data', 'myid'), `${sid}\n`);
      const port = await freePort();
      const lines = [...shared, ...own(sid)];
      const server = await startBenchServer(kind, home, { folder, seat: { port, lines } });
      return { folder, port, lines, server };
    }),
  );
  return { kind, members, readyMs: performance.now() - startedAt };
}
