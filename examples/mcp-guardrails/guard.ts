/** A guard of MCP tools: refuses calls about passwords, and masks card numbers in results. */
import {
  create,
  type DescMessage,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import { Server, ServerCredentials } from '@grpc/grpc-js'
import {
  AuthorizationError_Code as Code,
  ExtMcp,
  type McpRequest,
  type McpRequestResultSchema,
  type McpResponse,
  type McpResponseResultSchema,
} from '../../src/protocols/grpc/ext-mcp.gen.ts'

const checkRequest = ({
  method,
  mcpRequest,
}: McpRequest): MessageInitShape<typeof McpRequestResultSchema> => {
  const params = Buffer.from(mcpRequest ?? []).toString()
  console.log(`${method} ${params}`)
  if (!/password/i.test(params)) return { result: { case: 'pass', value: {} } }
  return { result: { case: 'error', value: { code: Code.PERMISSION_DENIED, reason: 'passwords stay here' } } }
}

const checkResponse = ({ mcpResponse }: McpResponse): MessageInitShape<typeof McpResponseResultSchema> => {
  const result = Buffer.from(mcpResponse).toString()
  const hidden = result.replace(/\b\d{4} \d{4} \d{4} \d{4}\b/g, 'hidden')
  if (hidden === result) return { result: { case: 'pass', value: {} } }
  return { result: { case: 'mutated', value: Buffer.from(hidden) } }
}

const server = new Server()

const serve = <I extends DescMessage, O extends DescMessage>(
  { parent, name, input, output }: DescMethodUnary<I, O>,
  answer: (message: MessageShape<I>) => MessageInitShape<O>,
): void => {
  server.register(
    `/${parent.typeName}/${name}`,
    (call: { request: MessageShape<I> }, told: (error: null, message: MessageInitShape<O>) => void) => {
      told(null, answer(call.request))
    },
    (message: MessageInitShape<O>) => Buffer.from(toBinary(output, create(output, message))),
    (bytes: Buffer) => fromBinary(input, bytes),
    'unary',
  )
}

serve(ExtMcp.method.checkRequest, checkRequest)
serve(ExtMcp.method.checkResponse, checkResponse)

const address = `127.0.0.1:${process.env.PORT ?? '9001'}`
server.bindAsync(address, ServerCredentials.createInsecure(), (error, port) => {
  if (error) throw error
  console.log(`guards on 127.0.0.1:${port}`)
})
