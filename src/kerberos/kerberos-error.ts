/**
 * - `refused`: a KDC or a server said no, or lied: it would do so again.
 * - `local`: a file or an option of this host is unusable now.
 * - `unreachable`: no KDC answered.
 */
export type KerberosFault = 'refused' | 'local' | 'unreachable';

/** The message is a sentence for the log of the side that found the fault. */
export class KerberosError extends Error {
  override readonly name = 'KerberosError';
  readonly code = 'EKERBEROS';
  readonly kind: KerberosFault;

  constructor(
    message: string,
    options: { readonly cause?: unknown; readonly kind?: KerberosFault } = {},
  ) {
    super(message, 'cause' in options ? { cause: options.cause } : undefined);
    this.kind = options.kind ?? 'refused';
  }
}
