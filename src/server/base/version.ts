/** Ours, as package.json has it; a test holds the two together. */
export const ZKSH_VERSION = '0.1.0';

/**
 * What `srvr` and `envi` print. Tools read the release of Apache ZooKeeper off it, so it is the one
 * whose behaviour this server has, with our own name where Apache prints a revision.
 */
export const SERVER_VERSION = `3.9.4-zksh-${ZKSH_VERSION}, built on 2026-11-21 00:00 UTC`;
