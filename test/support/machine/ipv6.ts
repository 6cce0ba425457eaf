import { networkInterfaces } from 'node:os';
import { test } from 'uvu';

/** Whether this machine has the loopback address of IPv6. */
export const hasIpv6 = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === '::1'),
);

if (!hasIpv6) console.log('skipped: tests over IPv6: this machine has no loopback address ::1');

/** Registers a test that needs it. Without it, the test counts as skipped. */
export const ipv6Test = hasIpv6 ? test : test.skip;
