import { Fault, type Reason } from '../../model/exchange/fault.ts'
import { deny, type Reply } from '../../model/exchange/reply.ts'
import { UnwritableHeader } from '../headers/unwritable-header.ts'

/** Why a processor failed. */
export class ProcessorFault extends Fault {
  /** The processor could not be reached, closed the stream or timed out; otherwise its response was not valid. */
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

/** The fault of a processor whose response cannot be used. */
export const invalidResponse = (why: string): ProcessorFault => broken(why, false)

/** The fault of a processor that cannot be reached, or is gone. */
export const unavailable = (fault: Fault | undefined): ProcessorFault =>
  broken(absences[fault?.code ?? ''] ?? 'the processor broke off', true, fault?.cause ?? fault)

/** The fault of a processor that cannot be called because of this request. */
export const processingNotPossible = (fault: Fault): ProcessorFault =>
  fault instanceof UnwritableHeader
    ? new ProcessorFault('unwritable_header', fault.message, false, { status: 400, reason: 'InvalidRequest' })
    : broken('the processor cannot be asked about this', false, fault.cause ?? fault)

/** The fault of a processor that takes too long. */
export const messageTimeout = (limitMs: number): ProcessorFault =>
  broken('the processor did not answer in time', true, `nothing within ${limitMs} ms`)

/** The fault of an exchange that times out while the processor works on it. */
export const exchangeTimeout = (): ProcessorFault =>
  new ProcessorFault('request_timeout', 'request timeout', false, { status: 504, reason: 'Timeout' })

/** The reply to the client. */
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
