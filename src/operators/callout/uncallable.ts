import { Fault, type Reason } from '../../model/exchange/fault.ts'

/**
 * A callout cannot be made because of the request it is about. `failOpen` does not apply: a client that can cause
 * this could skip any check.
 */
export class Uncallable extends Fault {
  constructor(
    why: string,
    cause: unknown,
    {
      code = 'question_unaskable',
      status = 500,
      reason,
    }: { readonly code?: string; readonly status?: number; readonly reason?: Reason } = {},
  ) {
    super(code, why, { status, cause, ...(reason && { reason }) })
  }
}
