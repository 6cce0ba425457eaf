/** Declarations that several recipes share. */

export const waitOption = {
  kind: 'integer',
  valueName: 'MS',
  min: 1,
  max: 0x7fff_ffff,
  summary: 'wait for so long at most, then end with exit code 3',
} as const;

export const commandArgument = {
  kind: 'text',
  isVariadic: true,
  summary: 'a program and its arguments, behind --; no shell reads them',
} as const;

export const recipePath = { kind: 'path', summary: 'the znode that the recipe uses' } as const;
