/** Why a text is invalid. */
export interface Complaint {
  /** Completes the sentence `"value" …`, such as `must start with "/"`. */
  readonly expectation: string
  readonly hint?: string
}

/** Checks one text; undefined if it is valid. Pure and total. */
export type FormatCheck = (text: string) => Complaint | undefined

/** An environment variable, and what its value may be. */
export interface CheckedVariable {
  readonly name: string
  readonly check: FormatCheck
  /** Its value must not be printed. */
  readonly isSecret?: boolean
}
