/**
 * Bytes that are not what the encoding allows: truncated, negative, or longer than a named limit.
 */
export class JuteError extends Error {
  override readonly name = 'JuteError';
  readonly code = 'EJUTE';
}
