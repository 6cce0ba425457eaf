import { ensembleOnly, optionsOf, withoutEffect } from './config-option.js';

const file = optionsOf('file');
const prop = optionsOf('property');
const MS = { unit: 'ms' };
const TICKS = { unit: 'ticks' };

export const ENSEMBLE = {
  reconfigEnabled: file.boolean('reconfigEnabled', false, 'allow reconfig'),
  ...ensembleOnly({
    initLimit: file.int('initLimit', 0, 'time for a learner to connect and sync', {
      ...TICKS,
      defaultText: 'required with servers',
    }),
    syncLimit: file.int('syncLimit', 0, 'time a learner may lag', {
      ...TICKS,
      defaultText: 'required with servers',
    }),
    connectToLearnerMasterLimit: file.int('connectToLearnerMasterLimit', 0, 'time to connect', {
      ...TICKS,
      defaultText: 'initLimit',
    }),
    electionAlg: file.int('electionAlg', 3, 'only 3, fast leader election'),
    peerType: file.choice(
      'peerType',
      'participant',
      ['participant', 'observer'],
      'role of this server',
    ),
    quorumListenOnAllIPs: file.boolean('quorumListenOnAllIPs', false, 'listen on all addresses'),
    dynamicConfigFile: file.optional('dynamicConfigFile', 'file of the server lines'),
    oraclePath: file.optional(
      'oraclePath',
      'file that says whether one of two voters may go on without the other: "1" is yes',
    ),
    standaloneEnabled: file.boolean('standaloneEnabled', true, 'one server needs no quorum'),
    multiAddressEnabled: file.boolean('multiAddress.enabled', false, 'multiple server addresses'),
    leaderServes: prop.yesNo('leaderServes', true, 'the leader serves clients'),
    cnxTimeoutMs: prop.int('cnxTimeout', 5000, 'time to open an election connection', MS),
    quorumCnxnTimeoutMs: prop.int('quorumCnxnTimeoutMs', -1, 'time for a server to send its id', {
      ...MS,
      defaultText: 'syncLimit',
    }),
    tcpKeepAlive: prop.boolean('tcpKeepAlive', false, 'keep election connections alive'),
    electionPortBindRetry: prop.int('electionPortBindRetry', 3, 'tries to listen; 0: forever'),
    fastleaderMinNotificationIntervalMs: prop.int(
      'fastleader.minNotificationInterval',
      200,
      'shortest wait for votes',
      MS,
    ),
    fastleaderMaxNotificationIntervalMs: prop.int(
      'fastleader.maxNotificationInterval',
      60000,
      'longest wait for votes',
      MS,
    ),
    leaderConnectDelayDuringRetryMs: prop.int(
      'leaderConnectDelayDuringRetryMs',
      100,
      'pause between tries to reach the leader',
      MS,
    ),
    leaderMaxTimeToWaitForEpochMs: prop.int(
      'leader.maxTimeToWaitForEpoch',
      -1,
      'time after which a voter that looks for a leader again ends the wait for epochs; -1: never',
      MS,
    ),
    leaderMaxConcurrentSnapSyncs: prop.int(
      'leader.maxConcurrentSnapSyncs',
      10,
      'concurrent SNAPs before an observer is turned away',
    ),
    leaderMaxConcurrentDiffSyncs: prop.int(
      'leader.maxConcurrentDiffSyncs',
      100,
      'concurrent DIFFs before an observer is turned away',
    ),
    observerReconnectDelayMs: prop.long(
      'observer.reconnectDelayMs',
      0,
      'longest wait of an observer before it connects',
      MS,
    ),
    observerElectionDelayMs: prop.long(
      'observer.election.DelayMs',
      200,
      'longest wait of an observer before it looks for a leader again',
      MS,
    ),
    observerMasterPort: file.port(
      'observerMasterPort',
      'port on which followers accept observers, and to which observers connect',
    ),
    observerMasterSizeLimit: prop.int(
      'observerMaster.sizeLimit',
      33554432,
      'size of the committed txns that an observer master keeps in memory to sync observers',
      { unit: 'bytes' },
    ),
  }),
  ...withoutEffect(
    'an observer always keeps them, and needs less from the leader at its next start',
    {
      syncEnabled: file.boolean('syncEnabled', true, 'an observer keeps log and snapshots', {
        property: 'zookeeper.observer.syncEnabled',
      }),
    },
  ),
  ...withoutEffect('the server tries every address', {
    multiAddressReachabilityCheckEnabled: file.boolean(
      'multiAddress.reachabilityCheckEnabled',
      true,
      'check which address is reachable',
    ),
    multiAddressReachabilityCheckTimeoutMs: file.int(
      'multiAddress.reachabilityCheckTimeoutMs',
      1000,
      'timeout of that check',
      MS,
    ),
  }),
  ...withoutEffect('connections need no threads', {
    quorumCnxnThreadsSize: file.int('quorum.cnxn.threads.size', 20, 'threads to connect'),
    leaderCloseSocketAsync: prop.boolean('leader.closeSocketAsync', false, 'close in background'),
    learnerCloseSocketAsync: prop.boolean('learner.closeSocketAsync', false, 'close in background'),
    learnerAsyncSending: prop.boolean('learner.asyncSending', false, 'send in the background'),
  }),
  ...withoutEffect('always on', {
    leaderNodelay: prop.boolean('leader.nodelay', true, 'TCP_NODELAY to learners'),
    followerNodelay: prop.boolean('follower.nodelay', true, 'TCP_NODELAY to the leader'),
  }),
};
