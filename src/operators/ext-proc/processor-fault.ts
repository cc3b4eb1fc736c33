import { Fault, type Reason } from '../../model/fault.ts'
import { deny, type Reply } from '../../model/reply.ts'

/** Why a processor failed. */
export class ProcessorFault extends Fault {
  /** The processor could not be reached, broke off or said nothing in time; otherwise, what it said made no sense. */
  readonly isOfTransport: boolean

  constructor(
    code: string,
    message: string,
    isOfTransport: boolean,
    more: { status: number; reason: Reason; cause?: unknown },
  ) {
    super(code, message, more)
    this.isOfTransport = isOfTransport
  }
}

/** The fault of a processor whose answer cannot be used. */
export const nonsense = (why: string): ProcessorFault => broken(why, false)

/** The fault of a processor that is not there, or not there any more. */
export const absent = (fault: Fault | undefined): ProcessorFault =>
  broken(absences[fault?.code ?? ''] ?? 'the processor broke off', true, fault?.cause ?? fault)

/** The fault of a processor that cannot be asked about this very request. */
export const unaskable = (fault: Fault): ProcessorFault =>
  broken('the processor cannot be asked about this', false, fault.cause ?? fault)

/** The fault of a processor that takes too long. */
export const late = (limitMs: number): ProcessorFault =>
  broken('the processor did not answer in time', true, `nothing within ${limitMs} ms`)

/** The fault of an exchange whose time is over while a processor has it. */
export const outOfTime = (): ProcessorFault =>
  new ProcessorFault('request_timeout', 'request timeout', false, { status: 504, reason: 'Timeout' })

/** What the client gets. */
export const processorRefusal = ({ status, code, message, reason }: ProcessorFault): Reply =>
  deny(status, code, { message, reason })

const broken = (why: string, isOfTransport: boolean, cause?: unknown): ProcessorFault =>
  new ProcessorFault('ext_proc_failed', `ext_proc failed: ${why}`, isOfTransport, {
    status: 500,
    reason: 'ExtProc',
    cause,
  })

const absences: Readonly<Record<string, string>> = {
  upstream_connect: 'the processor cannot be reached',
  upstream_failed: 'the processor broke off with an error',
  upstream_timeout: 'the processor did not answer in time',
}
