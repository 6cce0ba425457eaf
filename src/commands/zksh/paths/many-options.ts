export const MANY_OPTIONS = {
  yes: { letter: 'y', summary: 'skip the confirmation of a pattern' },
  'dry-run': { letter: 'n', summary: 'print the changes without making them' },
} as const;
