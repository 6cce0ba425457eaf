export const waitOption = {
  kind: 'duration',
  valueName: 'TIME',
  min: 1,
  max: 0x7fff_ffff,
  summary: 'give up after TIME (500ms, 60s), with exit status 3',
} as const;

export const commandArgument = {
  kind: 'text',
  isVariadic: true,
  isProgram: true,
  summary: 'a program and its arguments, after --; run without a shell',
} as const;

export const recipePath = { kind: 'path', summary: 'the znode of the recipe' } as const;
