/** Dials the authority of the request, or what `target` evaluates to, and only if it is allowed. */
export interface DynamicBackend {
  readonly type: 'dynamic'
  /** CEL giving `host[:port]`; the request's authority without it. */
  readonly target?: string
  readonly allow: DynamicAllow
}

/** What callers may reach through a dynamic backend: names, ports and addresses must all be allowed. */
export interface DynamicAllow {
  /** Exact names or `*.suffix`. Empty allows nothing. */
  readonly hosts: readonly string[]
  /** Empty allows every port. */
  readonly ports: readonly number[]
  /** CIDRs outside the public address space that are allowed as well. */
  readonly privateRanges: readonly string[]
}
