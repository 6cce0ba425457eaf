/** The options of zoo.cfg that matter to an ensemble; config-keys.ts has the others. */
import { ensembleOnly, later, optionsOf, withoutMeaning } from './config-option.js';

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
    syncLimit: file.int('syncLimit', 0, 'time a learner may lag behind', {
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
      'what this server is',
    ),
    quorumListenOnAllIPs: file.boolean('quorumListenOnAllIPs', false, 'listen on all addresses'),
    dynamicConfigFile: file.optional('dynamicConfigFile', 'file of the server lines'),
    standaloneEnabled: file.boolean('standaloneEnabled', true, 'one server needs no quorum'),
    multiAddressEnabled: file.boolean('multiAddress.enabled', false, 'several addresses a server'),
    leaderServes: prop.yesNo('leaderServes', true, 'the leader serves clients'),
    cnxTimeoutMs: prop.int('cnxTimeout', 5000, 'time to connect for an election', MS),
    quorumCnxnTimeoutMs: prop.int('quorumCnxnTimeoutMs', -1, 'time for a server to say who it is', {
      ...MS,
      defaultText: 'syncLimit',
    }),
    tcpKeepAlive: prop.boolean('tcpKeepAlive', false, 'keep election connections alive'),
    electionPortBindRetry: prop.int('electionPortBindRetry', 3, 'tries to listen; 0 is for ever'),
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
      'from when on a voter that looks again ends the wait for epochs; -1 is never',
      MS,
    ),
    leaderMaxConcurrentSnapSyncs: prop.int(
      'leader.maxConcurrentSnapSyncs',
      10,
      'SNAPs under way from which on an observer is turned away',
    ),
    leaderMaxConcurrentDiffSyncs: prop.int(
      'leader.maxConcurrentDiffSyncs',
      100,
      'DIFFs under way from which on an observer is turned away',
    ),
    observerReconnectDelayMs: prop.long(
      'observer.reconnectDelayMs',
      0,
      'an observer waits at most so long before it connects',
      MS,
    ),
    observerElectionDelayMs: prop.long(
      'observer.election.DelayMs',
      200,
      'an observer waits at most so long before it looks for a leader again',
      MS,
    ),
    observerMasterPort: file.port(
      'observerMasterPort',
      'port at which a follower takes observers, and to which an observer goes',
    ),
    observerMasterSizeLimit: prop.int(
      'observerMaster.sizeLimit',
      33554432,
      'committed txns that an observer master keeps in memory for observers that lack only them',
      { unit: 'bytes' },
    ),
  }),
  ...later('an observer always keeps them', {
    syncEnabled: file.boolean('syncEnabled', true, 'an observer keeps log and snapshots'),
  }),
  ...later('two servers need each other', {
    oraclePath: file.optional('oraclePath', 'file that breaks the tie of two servers'),
  }),
  ...withoutMeaning('every address is tried', {
    multiAddressReachabilityCheckEnabled: file.boolean(
      'multiAddress.reachabilityCheckEnabled',
      true,
      'look which address answers',
    ),
    multiAddressReachabilityCheckTimeoutMs: file.int(
      'multiAddress.reachabilityCheckTimeoutMs',
      1000,
      'time for that look',
      MS,
    ),
  }),
  ...withoutMeaning('no thread waits for a connection', {
    quorumCnxnThreadsSize: file.int('quorum.cnxn.threads.size', 20, 'connections made at a time'),
    leaderCloseSocketAsync: prop.boolean('leader.closeSocketAsync', false, 'do not wait to close'),
    learnerCloseSocketAsync: prop.boolean(
      'learner.closeSocketAsync',
      false,
      'do not wait to close',
    ),
    learnerAsyncSending: prop.boolean('learner.asyncSending', false, 'send off the pipeline'),
  }),
  ...withoutMeaning('always on', {
    leaderNodelay: prop.boolean('leader.nodelay', true, 'TCP_NODELAY to learners'),
    followerNodelay: prop.boolean('follower.nodelay', true, 'TCP_NODELAY to the leader'),
  }),
};
