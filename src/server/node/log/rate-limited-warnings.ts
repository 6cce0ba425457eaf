import { RateLimitedLog } from '../../../base/rate-limited-log.js';

export class RateLimitedWarnings extends RateLimitedLog {
  constructor(onWarning: (message: string) => void) {
    super(onWarning, () => performance.now());
  }
}
