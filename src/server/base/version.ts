/** The version in package.json; a test compares the two. */
export const ZKSH_VERSION = '0.1.0';

/**
 * The version in `srvr` and `envi`. Tools read the release of Apache ZooKeeper from it. So it is
 * the release that this server behaves like, with our name in place of Apache's revision.
 */
export const SERVER_VERSION = `3.9.4-zksh-${ZKSH_VERSION}, built on 2026-11-21 00:00 UTC`;
