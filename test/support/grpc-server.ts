import {
  create,
  type DescMessage,
  type DescMethodBiDiStreaming,
  type DescMethodUnary,
  fromBinary,
  type MessageInitShape,
  type MessageShape,
  toBinary,
} from '@bufbuild/protobuf'
import {
  Server,
  ServerCredentials,
  type ServerDuplexStream,
  type ServerUnaryCall,
  type ServiceError,
} from '@grpc/grpc-js'

/** A real gRPC server on 127.0.0.1. */
export interface GrpcServer extends AsyncDisposable {
  readonly port: number
  /** `127.0.0.1:port`. */
  readonly host: string
}

/** A method and its implementation. */
export interface GrpcHandler {
  readonly path: string
  readonly definition: Parameters<Server['register']>
}

/** Responds to one message with another, or with an error. */
export const unary = <I extends DescMessage, O extends DescMessage>(
  method: DescMethodUnary<I, O>,
  answer: (
    message: MessageShape<I>,
    call: ServerUnaryCall<MessageShape<I>, MessageInitShape<O>>,
  ) => MessageInitShape<O> | Promise<MessageInitShape<O>>,
): GrpcHandler => ({
  path: pathOf(method),
  definition: [
    pathOf(method),
    (call: ServerUnaryCall<MessageShape<I>, MessageInitShape<O>>, told: Told<MessageInitShape<O>>) => {
      Promise.resolve()
        .then(() => answer(call.request, call))
        .then(
          (message) => told(null, message),
          (error: unknown) => told(error as ServiceError),
        )
    },
    serialize(method.output),
    deserialize(method.input),
    'unary',
  ] as Parameters<Server['register']>,
})

/** Exchanges messages with a client until one side ends. */
export const bidi = <I extends DescMessage, O extends DescMessage>(
  method: DescMethodBiDiStreaming<I, O>,
  talk: (call: ServerDuplexStream<MessageShape<I>, MessageInitShape<O>>) => void,
): GrpcHandler => ({
  path: pathOf(method),
  definition: [
    pathOf(method),
    talk,
    serialize(method.output),
    deserialize(method.input),
    'bidi',
  ] as Parameters<Server['register']>,
})

/** Starts a server with these methods. */
export const grpcServer = async (
  handlers: readonly GrpcHandler[],
  credentials: ServerCredentials = ServerCredentials.createInsecure(),
): Promise<GrpcServer> => {
  const server = new Server()
  for (const { definition } of handlers) server.register(...definition)
  const port = await new Promise<number>((resolve, reject) => {
    server.bindAsync('127.0.0.1:0', credentials, (error, bound) => {
      if (error) reject(error)
      else resolve(bound)
    })
  })
  return {
    port,
    host: `127.0.0.1:${port}`,
    [Symbol.asyncDispose]: () => {
      server.forceShutdown()
      return Promise.resolve()
    },
  }
}

type Told<T> = (error: Partial<ServiceError> | null, message?: T) => void

const pathOf = ({ parent, name }: DescMethodUnary | DescMethodBiDiStreaming): string =>
  `/${parent.typeName}/${name}`

const serialize =
  <D extends DescMessage>(schema: D) =>
  (message: MessageInitShape<D>): Buffer =>
    Buffer.from(toBinary(schema, create(schema, message)))

const deserialize =
  <D extends DescMessage>(schema: D) =>
  (bytes: Buffer): MessageShape<D> =>
    fromBinary(schema, bytes)
