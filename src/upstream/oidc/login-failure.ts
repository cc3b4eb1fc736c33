/** What of a login did not work. */
export type LoginFailureKind = 'provider' | 'token' | 'id_token' | 'nonce'

/** A login that cannot be finished. Its message may be read by clients; the cause is for the log. */
export class LoginFailure extends Error {
  readonly kind: LoginFailureKind

  constructor(kind: LoginFailureKind, message: string, cause: unknown) {
    super(message, { cause })
    this.kind = kind
  }
}
