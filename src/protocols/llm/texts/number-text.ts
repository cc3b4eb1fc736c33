import { TextMember } from './text-member.ts'

/** A number that may identify a person, such as a card number. Its replacement is a string. */
export class NumberText extends TextMember {
  protected override read(value: unknown): string {
    return String(value)
  }
}

/** Whether a number is long enough to be an identifier. */
export const isLongNumber = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value) >= 1_000_000
