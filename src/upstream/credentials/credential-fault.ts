import { Fault } from '../../model/fault.ts'

/** What is known of a failure besides its message. */
export interface CredentialFaultOptions {
  /** Asking again will not help before somebody has changed something. */
  readonly isPermanent?: boolean
  /** Whatever it is asked for, the issuer will fail: it is away, or does not take the gateway for who it says it is. */
  readonly isOfIssuer?: boolean
  readonly cause?: unknown
}

/** A credential for an upstream cannot be had. Clients read the message, so it holds nothing of any credential. */
export class CredentialFault extends Fault {
  readonly isPermanent: boolean
  readonly isOfIssuer: boolean

  constructor(why: string, { isPermanent = false, isOfIssuer = false, cause }: CredentialFaultOptions = {}) {
    super('backend_auth_failed', `backend authentication failed: ${why}`, { cause })
    this.isPermanent = isPermanent
    this.isOfIssuer = isOfIssuer
  }
}

/** The token of the client is not one that another can be had for: that is for the client to know. */
export class TokenRefused extends Fault {
  readonly isPermanent = true

  constructor(cause: unknown) {
    super('backend_auth_token_refused', 'invalid request', { status: 400, reason: 'InvalidRequest', cause })
  }
}
