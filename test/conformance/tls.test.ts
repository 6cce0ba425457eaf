// TLS between what was written here and what Apache wrote: its Java shell on the bundled server's
// secure port, and the built-in client on that of Apache's server over Netty.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'uvu';
import * as assert from 'uvu/assert';
import { parseServerAddress } from '../../src/client/connect-string.js';
import { askWord } from '../../src/client/four-letter.js';
import { ZooKeeper } from '../../src/client/zookeeper.js';
import { Perms } from '../../src/protocol/perms.js';
import { certificateSubject } from '../../src/server/node/certificate-subject.js';
import { ia5Value, makeAuthority, type Subject } from '../support/certs.js';
import { freePort } from '../support/free-port.js';
import { oracleTest, spawnJava, startOracle } from '../support/oracle.js';
import { makeTlsFiles, startSecure, type TlsFiles } from '../support/tls-world.js';

const NETTY = '/usr/share/java/netty-all.jar';
const nettyTest = existsSync(NETTY) ? oracleTest : test.skip;
