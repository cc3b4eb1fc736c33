/** Host and port of an authority, both as written. */
export interface AuthorityParts {
  /** An IPv6 literal keeps its brackets. */
  readonly host: string
  readonly port: string | undefined
}

/** Splits an authority that is known to be well-formed: the listener has parsed it. */
export const splitAuthority = (authority: string): AuthorityParts => {
  const colon = authority.lastIndexOf(':')
  if (colon < 0 || authority.endsWith(']')) return { host: authority, port: undefined }
  return { host: authority.slice(0, colon), port: authority.slice(colon + 1) }
}
