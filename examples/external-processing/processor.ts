/** An external processor: refuses some requests, marks the others, and masks addresses in responses. */
import { create, fromBinary, type MessageInitShape, toBinary } from '@bufbuild/protobuf'
import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js'
import { HeaderValueOption_HeaderAppendAction as Action } from '../../src/protocols/grpc/core.gen.ts'
import {
  ExternalProcessor,
  type ProcessingRequest,
  ProcessingRequestSchema,
  ProcessingResponseSchema,
} from '../../src/protocols/grpc/ext-proc.gen.ts'

type Said = MessageInitShape<typeof ProcessingResponseSchema>

const say = ({ request, attributes }: ProcessingRequest): Said => {
  switch (request.case) {
    case 'requestHeaders': {
      const path = request.value.headers?.headers.find(({ key }) => key === ':path')?.value ?? ''
      console.log(path, 'from', attributes['envoy.filters.http.ext_proc']?.caller ?? 'somebody')
      if (path.startsWith('/private'))
        return {
          response: {
            case: 'immediateResponse',
            value: { status: { code: 403 }, body: Buffer.from('Not for you.') },
          },
        }
      const seen = { key: 'x-seen-by', rawValue: Buffer.from('processor') }
      const headerMutation = {
        setHeaders: [{ header: seen, appendAction: Action.OVERWRITE_IF_EXISTS_OR_ADD }],
      }
      return { response: { case: 'requestHeaders', value: { response: { headerMutation } } } }
    }
    case 'responseBody': {
      const text = Buffer.from(request.value.body).toString()
      const body = Buffer.from(text.replace(/\b[\w.]{1,64}@[\w.]+/g, 'hidden'))
      const bodyMutation = { mutation: { case: 'body' as const, value: body } }
      return { response: { case: 'responseBody', value: { response: { bodyMutation } } } }
    }
    case undefined:
      return {}
    default:
      // No changes to the rest.
      return { response: { case: request.case, value: {} } }
  }
}

const server = new Server()
server.register(
  `/${ExternalProcessor.typeName}/Process`,
  (talk: ServerDuplexStream<ProcessingRequest, Said>) => {
    talk.on('data', (message: ProcessingRequest) => talk.write(say(message)))
    talk.on('end', () => talk.end())
    // The gateway cancels the stream when its client disconnects.
    talk.on('error', () => undefined)
  },
  (said: Said) => Buffer.from(toBinary(ProcessingResponseSchema, create(ProcessingResponseSchema, said))),
  (bytes: Buffer) => fromBinary(ProcessingRequestSchema, bytes),
  'bidi',
)
server.bindAsync(
  `127.0.0.1:${process.env.PORT ?? '9004'}`,
  ServerCredentials.createInsecure(),
  (error, port) => {
    if (error) throw error
    console.log(`processes on 127.0.0.1:${port}`)
  },
)
