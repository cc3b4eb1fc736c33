/** A step on the way of an MCP request. What is said in messages, such as arguments, is not part of it. */
export type McpStep =
  /** A client said something. */
  | { readonly step: 'heard'; readonly method: string; readonly id: string | number | null }
  /** The session it belongs to, by its digest; for those without, one that ends with the request. */
  | {
      readonly step: 'session'
      readonly how: 'begun' | 'found' | 'restored' | 'passing' | 'ended'
      readonly session: string | null
      readonly revision: string
    }
  /** Another replica has what is asked for. */
  | { readonly step: 'passed on'; readonly replica: string; readonly address: string }
  /** Whose something is, and how it is called there. */
  | {
      readonly step: 'mapped'
      readonly kind: string
      readonly name: string
      readonly target: string
      readonly own: string
    }
  /** A server was asked what it is: whether it speaks revisions without handshakes. */
  | { readonly step: 'discovery'; readonly target: string; readonly modern: boolean }
  /** A session with a server began. */
  | { readonly step: 'handshake'; readonly target: string; readonly revision: string }
  /** A server is asked, in the client's era or across; the revision is null before it is known. */
  | {
      readonly step: 'call'
      readonly target: string
      readonly method: string
      readonly revision: string | null
      readonly bridged: boolean
    }
  /** How that ended: the code of the error, if it is one of JSON-RPC, else why. */
  | {
      readonly step: 'outcome'
      readonly target: string
      readonly method: string
      readonly error: number | string | null
    }
  /** What one server of several contributed, or why it did not. */
  | { readonly step: 'share'; readonly target: string; readonly error: string | null }
  /** A server wants to know something of the client before it goes on: the methods of its questions. */
  | {
      readonly step: 'input'
      readonly target: string
      readonly asks: readonly string[]
    }
