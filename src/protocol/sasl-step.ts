/** The answer of the server's side of a SASL exchange to one token of a client. */
export type SaslStep =
  | { readonly kind: 'continue'; readonly token: Buffer }
  /** A mechanism without a last word has an empty token. */
  | { readonly kind: 'done'; readonly token: Buffer; readonly user: string }
  | { readonly kind: 'failed'; readonly reason: string };

export interface SaslExchange {
  step(token: Buffer): SaslStep;
}
