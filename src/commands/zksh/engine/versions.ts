/** A version is an int; -1 matches any. */
export const VERSION_RANGE = { min: -1, max: 0x7fff_ffff } as const;
