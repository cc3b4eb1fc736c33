import { MemberText } from './member-text.ts'

/** A number that could be somebody's, such as that of a card. What takes its place is a text. */
export class NumberText extends MemberText {
  protected override read(value: unknown): string {
    return String(value)
  }
}

/** Whether a number is long enough to be one that is given to people and things. */
export const isLongNumber = (value: unknown): boolean =>
  typeof value === 'number' && Number.isInteger(value) && Math.abs(value) >= 1_000_000
