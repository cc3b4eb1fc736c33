import type { BackendLabels } from '../resources/snapshot.ts'

/** Header fields as expressions see them: a value, or a list of values where a field is repeated. */
type Fields = Readonly<Record<string, string | readonly string[]>>

/**
 * The variables of expressions at one moment of an exchange. Unknown members are absent. A snapshot of a response has
 * `request` only if the gateway itself made the reply.
 */
export interface TraceState {
  readonly request?: {
    readonly method: string
    /** With scheme and authority. */
    readonly uri: string
    readonly path: string
    readonly pathAndQuery: string
    readonly host: string
    readonly scheme: string
    readonly version: string
    readonly headers: Fields
    /** RFC 3339, with microseconds. */
    readonly startTime: string
  }
  readonly response?: { readonly code: number; readonly headers: Fields }
  readonly proxy: {
    readonly bind: string
    readonly gateway?: { readonly namespace: string; readonly name: string }
    readonly listener?: { readonly name: string }
    readonly route?: { readonly namespace: string; readonly name: string; readonly rule?: string }
    /** A duration of CEL, such as `0.001200000s`. */
    readonly requestProcessingDuration?: string
    readonly upstreamDuration?: string
  }
  readonly env: Readonly<Record<string, never>>
  readonly source?: {
    readonly address: string
    readonly port: number
    readonly rawAddress: string
    readonly rawPort: number
    readonly spiffeId?: string
    readonly subjectAltNames?: readonly string[]
    readonly issuer?: string
    readonly subject?: string
    readonly subjectCn?: string
  }
  readonly destination?: { readonly address: string; readonly port: number; readonly hostname?: string }
  readonly backend?: BackendLabels
}
