import { Uncallable } from '../callout/uncallable.ts'

/**
 * An expression gave a header a value that no header can carry, such as a claim with a line break. The request is refused:
 * without the header it would be somebody else's, or nobody's.
 */
export class UnwritableHeader extends Uncallable {
  constructor(name: string) {
    super(`the value for the header ${name} has characters that no header can carry`, undefined, {
      code: 'unwritable_header',
      status: 400,
      reason: 'InvalidRequest',
    })
  }
}
