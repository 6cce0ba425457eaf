import type { Target } from '../target.js';
import { clientFrames } from './client-frames.js';
import { revocationLists } from './crl.js';
import { epochFiles, keyStores, pemStores, snapshot, txnLog } from './files.js';
import { kdcAnswers, kerberosFiles, kerberosTokens } from './kerberos.js';
import { learnerLink } from './learner-link.js';
import { ocspResponses } from './ocsp.js';
import { electionPackets, leaderLink, quorumPackets } from './quorum-packets.js';
import { connectStrings, dumps, dynamicFile, fourLetter, shellLines, zooCfg } from './texts.js';
import { zippedSnapshot } from './zipped-snapshot.js';

export const TARGETS: readonly Target[] = [
  clientFrames,
  quorumPackets,
  leaderLink,
  learnerLink,
  electionPackets,
  txnLog,
  snapshot,
  zippedSnapshot,
  zooCfg,
  dynamicFile,
  keyStores,
  pemStores,
  ocspResponses,
  revocationLists,
  kdcAnswers,
  kerberosTokens,
  kerberosFiles,
  fourLetter,
  dumps,
  epochFiles,
  connectStrings,
  shellLines,
];
