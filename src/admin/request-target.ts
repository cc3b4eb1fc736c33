/** What a request to an endpoint names. */
export interface RequestUrl {
  /** Of an absolute target: what the caller takes this server for. */
  readonly authority: string | undefined
  readonly pathname: string
  readonly searchParams: URLSearchParams
}

/** Reads the target of a request; what cannot be parsed is no known path. */
export const requestUrlOf = (target: string): RequestUrl => {
  const [, authority, rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(target) ?? [
    undefined,
    undefined,
    target,
  ]
  // Before a base that is never seen, so that a path that begins with two slashes names no host.
  const path = authority !== undefined && !rest.startsWith('/') ? `/${rest}` : rest
  const url = path.startsWith('/') ? URL.parse(`http://admin.invalid${path}`) : null
  return {
    authority,
    pathname: url?.pathname ?? '',
    searchParams: url?.searchParams ?? new URLSearchParams(),
  }
}
