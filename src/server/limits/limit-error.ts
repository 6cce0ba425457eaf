import { JuteError } from '../../jute/jute-error.js';
import { LIMITS, type LimitName } from './limits.js';

/** Bytes from outside exceed a limit. The code that catches it reports the limit by name. */
export class LimitError extends JuteError {
  readonly limit: LimitName;
  readonly value: number;

  constructor(limit: LimitName, message: string, value: number = LIMITS[limit].value) {
    super(message);
    this.limit = limit;
    this.value = value;
  }
}

/** The limit that `error` or one of its causes exceeded. */
export function limitErrorOf(error: unknown): LimitError | undefined {
  let at = error;
  while (at instanceof Error && !(at instanceof LimitError)) at = at.cause;
  return at instanceof LimitError ? at : undefined;
}
