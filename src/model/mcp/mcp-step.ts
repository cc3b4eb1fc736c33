/** A step of an MCP request, for the trace. It excludes message content, such as arguments. */
export type McpStep =
  /** A message of the client was parsed. */
  | { readonly step: 'heard'; readonly method: string; readonly id: string | number | null }
  /** The session, as a digest; `passing` is one that ends with the request. */
  | {
      readonly step: 'session'
      readonly how: 'begun' | 'found' | 'restored' | 'passing' | 'ended'
      readonly session: string | null
      readonly revision: string
    }
  /** The request was forwarded to the replica that has the session or task. */
  | { readonly step: 'passed on'; readonly replica: string; readonly address: string }
  /** A client-visible name was resolved to its target and the target's own name. */
  | {
      readonly step: 'mapped'
      readonly kind: string
      readonly name: string
      readonly target: string
      readonly own: string
    }
  /** A server was probed: whether it supports revisions without handshakes. */
  | { readonly step: 'discovery'; readonly target: string; readonly modern: boolean }
  /** A session with a server began. */
  | { readonly step: 'handshake'; readonly target: string; readonly revision: string }
  /** A request was sent to a server, natively or translated; the revision is null before it is known. */
  | {
      readonly step: 'call'
      readonly target: string
      readonly method: string
      readonly revision: string | null
      readonly bridged: boolean
    }
  /** How a call ended: the JSON-RPC error code, or the reason. */
  | {
      readonly step: 'outcome'
      readonly target: string
      readonly method: string
      readonly error: number | string | null
    }
  /** The result of one server of several, or its error. */
  | { readonly step: 'share'; readonly target: string; readonly error: string | null }
  /** A server requires input from the client: the methods of its requests. */
  | {
      readonly step: 'input'
      readonly target: string
      readonly asks: readonly string[]
    }
