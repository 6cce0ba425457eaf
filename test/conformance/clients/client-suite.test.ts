import { test } from 'uvu';
import { createNativeClient } from '../../../src/client/native/native.js';
import { createClient } from '../../../src/client/zookeeper.js';
import { oracleTest, startOracle } from '../../support/apache/oracle.js';
import { runClientSuite } from './client-suite.js';
import { hasNative, nativeTest } from './client-suite-native.js';

runClientSuite("the built-in client and Apache's server", {
  test: oracleTest,
  isNative: false,
  makeClient: createClient,
  isApache: true,
  startServer: startOracle,
});

runClientSuite("the native client and Apache's server", {
  test: hasNative ? oracleTest : nativeTest,
  isNative: true,
  makeClient: createNativeClient,
  isApache: true,
  startServer: startOracle,
});

test.run();
