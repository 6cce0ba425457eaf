/** The version in package.json; a test compares the two. */
const ZKSH_VERSION = '0.1.0';

/**
 * Tools read the release of Apache ZooKeeper from `srvr` and `envi`: it is the release that this
 * server behaves like, with this project's name instead of Apache's revision.
 */
export const SERVER_VERSION = `3.9.4-zksh-${ZKSH_VERSION}, built on 2026-11-21 00:00 UTC`;
