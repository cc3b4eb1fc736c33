import { Fault } from '../../model/exchange/fault.ts'

/** Properties of a failure besides its message. */
export interface CredentialFaultOptions {
  /** A retry fails until the configuration changes. */
  readonly isPermanent?: boolean
  /** The issuer will fail for every request: it is unavailable, or does not authenticate the gateway. */
  readonly isOfIssuer?: boolean
  readonly cause?: unknown
}

/**
 * A credential for an upstream cannot be obtained. Clients see the message, so it contains no part of any credential.
 */
export class CredentialFault extends Fault {
  readonly isPermanent: boolean
  readonly isOfIssuer: boolean

  constructor(why: string, { isPermanent = false, isOfIssuer = false, cause }: CredentialFaultOptions = {}) {
    super('backend_auth_failed', `backend authentication failed: ${why}`, { cause })
    this.isPermanent = isPermanent
    this.isOfIssuer = isOfIssuer
  }
}

/** The caller's token cannot be exchanged for another: an error of the client. */
export class TokenRefused extends Fault {
  readonly isPermanent = true

  constructor(cause: unknown) {
    super('backend_auth_token_refused', 'invalid request', { status: 400, reason: 'InvalidRequest', cause })
  }
}
