/** Of a command that changes all that a pattern fits. */
export const MANY_OPTIONS = {
  yes: { letter: 'y', summary: 'do not ask about a pattern' },
  'dry-run': { letter: 'n', summary: 'only tell what would be changed' },
} as const;
