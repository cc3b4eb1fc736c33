/** A response to an export. */
export type OtlpResponse =
  /** Accepted; a partial success may report that some records were rejected. */
  | { readonly ok: true; readonly partialSuccess: OtlpPartialSuccess | undefined }
  | {
      readonly ok: false
      readonly reason: OtlpFailure
      /** For the log. */
      readonly error: string
      /** Whether the same export may succeed later. */
      readonly mayRetry: boolean
      /** The delay that the collector requests. */
      readonly retryAfterMs?: number | undefined
    }

/** Why an export failed, as in metrics. */
export type OtlpFailure = 'unreachable' | 'timeout' | 'throttled' | 'unavailable' | 'rejected'

/** Records that a collector did not take, and its reason. */
export interface OtlpPartialSuccess {
  readonly rejected: number
  readonly message: string
}

/** One export. */
export interface OtlpRequest {
  /** Encoded request messages, each with the records of one resource; together they are one request. */
  readonly messages: readonly Uint8Array[]
  readonly signal: AbortSignal
}

/** Sends exports to a collector. Never rejects. */
export type SendOtlp = (request: OtlpRequest) => Promise<OtlpResponse>

/** The collector of one policy. */
export interface Collector {
  readonly signal: 'traces' | 'logs'
  /** Empty for the policy of the process. Over reloads, what waits for a collector goes to the next one of this key. */
  readonly key: string
  /** The policy, by which exchanges find their collector. */
  readonly policy: object
  /** Attributes of the resource: names and expressions. */
  readonly resources: readonly (readonly [name: string, value: string])[]
  readonly send: SendOtlp
}
