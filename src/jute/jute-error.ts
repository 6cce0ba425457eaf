/** Invalid bytes: truncated, negative, or longer than a limit. */
export class JuteError extends Error {
  override readonly name = 'JuteError';
  readonly code = 'EJUTE';
}
