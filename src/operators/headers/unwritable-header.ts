import { Uncallable } from '../callout/uncallable.ts'

/**
 * An expression returned a value that no header can contain, such as a claim with a line break. The request is
 * refused: without the header it might be attributed to another caller, or to none.
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
