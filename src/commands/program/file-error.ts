/** Whether a call of the system failed with this code, as "ENOENT". */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}
