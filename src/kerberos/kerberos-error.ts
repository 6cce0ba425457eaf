/** The message is a sentence for the log of the side that found the fault. */
export class KerberosError extends Error {
  override readonly name = 'KerberosError';
  readonly code = 'EKERBEROS';
}
