import { BufferBody, emptyBody } from '../../model/exchange/body.ts'
import type { Exchange } from '../../model/exchange/exchange.ts'
import { Reply } from '../../model/exchange/reply.ts'
import type { ImmediateResponse } from '../../protocols/grpc/ext-proc.gen.ts'
import { ownFields } from './header-mutation.ts'
import { invalidResponse } from './processor-fault.ts'

/**
 * The reply that a processor gives in place of the upstream. Its status is 200 by default.
 *
 * @throws ProcessorFault if the status cannot end an exchange.
 */
export const immediateReply = (
  { status, headers, body, grpcStatus }: ImmediateResponse,
  { request }: Exchange,
): Reply => {
  const code = status?.code ?? 200
  if (code < 200 || code > 599) throw invalidResponse(`the processor answered with the status ${code}`)
  const fields = ownFields(headers)
  if (grpcStatus && request.headers.get('content-type')?.startsWith('application/grpc'))
    fields.set('grpc-status', String(grpcStatus.status))
  if (body.length && !fields.has('content-type')) fields.append('content-type', 'text/plain')
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.length)
  return new Reply(
    code,
    fields,
    body.length ? new BufferBody(bytes) : emptyBody,
    'ExtProc',
    'ext_proc_immediate',
  )
}
