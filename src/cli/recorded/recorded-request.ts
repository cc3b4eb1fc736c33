/** A request that a gateway served before, as far as it was recorded. */
export interface RecordedRequest {
  readonly method: string
  /** With scheme and authority. */
  readonly url: string
  /** Names are lower-case. Redacted values are left out. */
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer | undefined
  /** Credentials whose values the record does not have. */
  readonly redacted: readonly string[]
  /** The record has only the beginning of the body. */
  readonly isCut: boolean
  /** The gateway that served it, without namespace. */
  readonly gateway?: string | undefined
  /** The port that it came to. */
  readonly port?: number | undefined
  readonly clientAddress?: string | undefined
  /** What was replied and by which way. */
  readonly outcome: RecordedOutcome
  /** What the backend responded, for a stand-in that responds alike. */
  readonly response?: RecordedResponse | undefined
}

/** What became of a recorded request; unknown parts are absent. */
export interface RecordedOutcome {
  readonly status?: number | undefined
  /** `namespace/name`. */
  readonly route?: string | undefined
  readonly backend?: string | undefined
  /** The request as it was sent to the backend. */
  readonly sent?: {
    readonly method: string
    readonly target: string
    readonly headers: readonly (readonly [name: string, value: string])[]
    readonly body: Buffer | undefined
  }
}

/** A recorded response of a backend. */
export interface RecordedResponse {
  readonly status: number
  readonly headers: readonly (readonly [name: string, value: string])[]
  readonly body: Buffer | undefined
}

type Fields = readonly (readonly [name: string, value: string])[]

/** Splits off the fields whose values are redacted. */
export const withoutRedacted = (
  fields: Fields,
): { readonly headers: Fields; readonly redacted: readonly string[] } => ({
  headers: fields.filter(([, value]) => !value.includes('<redacted>')),
  redacted: fields.filter(([, value]) => value.includes('<redacted>')).map(([name]) => name),
})

/** Fields of an object whose values are texts or lists of texts. */
export const fieldsOf = (value: unknown): Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? Object.entries(value).flatMap(([name, one]: [string, unknown]) =>
        (Array.isArray(one) ? one : [one]).flatMap((text: unknown) =>
          typeof text === 'string' ? [[name.toLowerCase(), text] as const] : [],
        ),
      )
    : []
