/** Declarations that several recipes share. */

export const waitOption = {
  kind: 'integer',
  valueName: 'MS',
  min: 1,
  max: 0x7fff_ffff,
  summary: 'give up after MS milliseconds, with exit status 3',
} as const;

export const commandArgument = {
  kind: 'text',
  isVariadic: true,
  summary: 'a program and its arguments, after --; run without a shell',
} as const;

export const recipePath = { kind: 'path', summary: 'the znode of the recipe' } as const;
