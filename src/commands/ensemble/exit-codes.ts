/** The verdict of zkops, or `unknown` if it could not ask. */
export const EXIT_CODES = { healthy: 0, warning: 1, critical: 2, unknown: 3 } as const;
/** sysexits.h: EX_USAGE and EX_DATAERR. */
export const EXIT_USAGE = 64;
export const EXIT_BAD_HOSTS_FILE = 65;
