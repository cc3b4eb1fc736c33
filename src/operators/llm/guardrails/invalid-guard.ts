import { type Guard, GuardFailure } from './guard.ts'
import type { TextScope } from './schema/normal-form.ts'

/** A guard that cannot be used: it never has a verdict, and fails closed. `reason` is for the log. */
export const invalidGuard = (reason: string, scopes: ReadonlySet<TextScope>): Guard => ({
  name: 'invalid',
  scopes,
  opensOnFailure: false,
  check: () => {
    throw new GuardFailure(reason)
  },
})
