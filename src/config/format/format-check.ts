/** Why a text does not have the form it should have. Nothing means that it has. */
export interface Complaint {
  /** Completes the sentence `"value" …`, such as `must start with "/"`. */
  readonly expectation: string
  readonly hint?: string
}

/** Looks at one text. Pure and total. */
export type Check = (text: string) => Complaint | undefined
