/** The service account of a proxy. */
export interface ServiceAccount {
  readonly namespace: string
  readonly name: string
}

/** A token that is not accepted. The message has the reason and is sent to the caller. */
export class AuthenticationError extends Error {
  override readonly name = 'AuthenticationError'
}

/**
 * Finds the service account of a token.
 *
 * @throws AuthenticationError for a token that is not accepted; another error if that could not be found out.
 */
export type Authenticate = (token: string, caller: Caller) => Promise<ServiceAccount>

/** Who shows a token. */
export interface Caller {
  /** The address, without the port. */
  readonly address: string
  /** Whether the caller is still there. */
  readonly isWaiting: () => boolean
}

/** The token of a header `authorization`. */
export const tokenOfHeader = (header: string | undefined): string | undefined =>
  /^bearer +([^\s]+)$/i.exec(header ?? '')?.[1]
