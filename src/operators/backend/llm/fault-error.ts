import { Fault } from '../../../model/fault.ts'
import type { LlmError } from '../../../protocols/llm/error.ts'

/** What a client may know of what broke an answer. */
export const faultError = (fault: unknown): LlmError =>
  fault instanceof Fault
    ? { status: fault.status, message: fault.message, code: fault.code }
    : { status: 500, message: 'internal error', code: 'internal' }
