import { Fault, type Reason } from '../../model/exchange/fault.ts'

/**
 * A service cannot be asked about a request because of what that request is, or lacks. No `failOpen` lets it pass: who
 * could bring that about could leave any check out.
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
