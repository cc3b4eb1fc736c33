/** The content of the `state` parameter: the id of the login, and the proof that the browser began it. */
export interface LoginState {
  readonly transactionId: string
  readonly csrfState: string
}

/** The parameter, which the provider returns unchanged. */
export const encodeState = ({ transactionId, csrfState }: LoginState): string =>
  Buffer.from(JSON.stringify({ transactionId, csrfState })).toString('base64url')

/** Decodes a parameter; undefined if it was not made here. */
export const decodeState = (text: string): LoginState | undefined => {
  if (!/^[\w-]{1,512}$/.test(text)) return undefined
  try {
    const value = JSON.parse(Buffer.from(text, 'base64url').toString()) as Partial<LoginState> | null
    const { transactionId, csrfState } = value ?? {}
    if (typeof transactionId !== 'string' || typeof csrfState !== 'string') return undefined
    // It becomes part of the name of a cookie.
    return /^[\w-]{1,64}$/.test(transactionId) ? { transactionId, csrfState } : undefined
  } catch {
    return undefined
  }
}
