/** The parsed target of a request. */
export interface RequestUrl {
  /** The authority of an absolute target. */
  readonly authority: string | undefined
  readonly pathname: string
  readonly searchParams: URLSearchParams
}

/** Parses the target of a request; one that is invalid matches no path. */
export const requestUrlOf = (target: string): RequestUrl => {
  const [, authority, rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/is.exec(target) ?? [
    undefined,
    undefined,
    target,
  ]
  // Resolved against a dummy base, so that a path that begins with two slashes names no host.
  const path = authority !== undefined && !rest.startsWith('/') ? `/${rest}` : rest
  const url = path.startsWith('/') ? URL.parse(`http://admin.invalid${path}`) : null
  return {
    authority,
    pathname: url?.pathname ?? '',
    searchParams: url?.searchParams ?? new URLSearchParams(),
  }
}
