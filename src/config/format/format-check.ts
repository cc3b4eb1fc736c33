/** Why a text is invalid. */
export interface Complaint {
  /** Completes the sentence `"value" …`, such as `must start with "/"`. */
  readonly expectation: string
  readonly hint?: string
}

/** Checks one text; undefined if it is valid. Pure and total. */
export type FormatCheck = (text: string) => Complaint | undefined
