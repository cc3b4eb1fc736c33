/** What a policy is attached to. A gateway may be narrowed to a listener or port, a route to a rule. */
export type PolicyTarget =
  | {
      readonly kind: 'gateway'
      readonly name: string
      readonly namespace: string
      readonly listener?: string
      readonly port?: number
    }
  | {
      readonly kind: 'listenerSet'
      readonly name: string
      readonly namespace: string
      readonly listener?: string
    }
  | {
      readonly kind: 'route'
      readonly name: string
      readonly namespace: string
      readonly ruleName?: string
      /** Absent: any. */
      readonly routeKind?: 'HTTPRoute' | 'GRPCRoute' | 'TCPRoute' | 'TLSRoute' | 'UDPRoute'
    }
  /** A section is a provider of language models or an MCP server of the backend. */
  | { readonly kind: 'backend'; readonly key: string; readonly section?: string }
  | { readonly kind: 'service'; readonly name: string; readonly port?: number }
