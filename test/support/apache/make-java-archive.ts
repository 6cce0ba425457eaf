import { existsSync, renameSync } from 'node:fs';
import { watchProcess } from '../machine/watched-process.js';
import { waitFor } from '../wait-for.js';
import { hasOracle, isServing, oracleArchive, spawnJava } from './oracle.js';
import { makeSeats } from './oracle-ensemble.js';

const PEER = 'org.apache.zookeeper.server.quorum.QuorumPeerMain';

/** Makes the archive of classes for Apache's servers, unless it exists. */
export async function makeJavaArchive(): Promise<void> {
  if (!hasOracle || existsSync(oracleArchive())) return;
  const file = oracleArchive();
  const unfinished = `${file}.${process.pid}`;
  const seats = await makeSeats({ participants: 2 });
  try {
    seats.startApache(1);
    // The highest id leads, and a leader loads the most classes.
    const { configFile, clientPort } = seats.of(2);
    const options = [`-XX:ArchiveClassesAtExit=${unfinished}`, '-Xlog:disable'];
    const leader = watchProcess(spawnJava([PEER, configFile], {}, [], options));
    try {
      await waitFor("Apache's leader", () => isServing(clientPort), 60_000);
    } finally {
      await leader.stop();
    }
    if (existsSync(unfinished)) renameSync(unfinished, file);
  } finally {
    await seats.close();
  }
}
