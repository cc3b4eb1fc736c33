/** Age and name of the resource that a route or policy was made from: what decides between equals. */
export interface ResourcePrecedence {
  /** In UTC with milliseconds, so that texts compare as times do. */
  readonly createdAt: string
  readonly namespace: string
  readonly name: string
  readonly rule: number
  readonly match: number
}
