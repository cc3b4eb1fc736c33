import { Fault } from '../../model/fault.ts'

/** A credential for an upstream cannot be had. Clients read the message, so it holds nothing of any credential. */
export class CredentialFault extends Fault {
  /** Asking again will not help before somebody has changed something. */
  readonly isPermanent: boolean

  constructor(why: string, options: { readonly isPermanent?: boolean; readonly cause?: unknown } = {}) {
    super('backend_auth_failed', `backend authentication failed: ${why}`, { cause: options.cause })
    this.isPermanent = options.isPermanent ?? false
  }
}

/** The token of the client is not one that another can be had for: that is for the client to know. */
export class TokenRefused extends Fault {
  readonly isPermanent = true

  constructor(cause: unknown) {
    super('backend_auth_token_refused', 'invalid request', { status: 400, reason: 'InvalidRequest', cause })
  }
}
