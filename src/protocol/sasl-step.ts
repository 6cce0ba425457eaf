/** The answer of the server's side of a SASL exchange to one token of a client. */
export type SaslStep =
  | { readonly kind: 'continue'; readonly token: Buffer }
  /** A mechanism without a last word has an empty token. */
  | { readonly kind: 'done'; readonly token: Buffer; readonly user: string }
  | { readonly kind: 'failed'; readonly reason: string };

export interface SaslExchange {
  step(token: Buffer): SaslStep;
}

/** The answer of the client's side to one token of a server. */
export type SaslClientStep =
  | { readonly kind: 'continue'; readonly token: Buffer }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly reason: string };

export interface SaslClientExchange {
  /** As whom it logs in. */
  readonly user: string;
  /** The first token; may be empty. */
  readonly first: Buffer;
  /** Whether an empty token now means success. Before, it is a refusal. */
  readonly endsEmpty: boolean;
  step(token: Buffer): SaslClientStep;
}
