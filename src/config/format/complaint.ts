/** Why a text does not have the form it should have. Nothing means that it has. */
export interface Complaint {
  /** Completes the sentence `"value" …`, such as `must start with "/"`. */
  readonly expectation: string
  readonly hint?: string
}

/** Looks at one text. Pure and total. */
export type Check = (text: string) => Complaint | undefined

/** A check by one regular expression. */
export function matching(pattern: RegExp, expectation: string): Check {
  return (text) => (pattern.test(text) ? undefined : { expectation })
}
