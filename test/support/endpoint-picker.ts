import type { ProcessingRequest } from '../../src/protocols/grpc/ext-proc.gen.ts'
import type { ProcessorResponse, ProcessorStream } from './processor.ts'

/** What a picker knows of a request when it chooses. */
export interface PickedRequest {
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** The endpoints that the gateway suggests; undefined if it suggests none. */
  readonly subset: unknown
}

/** What a picker responds: changes of the head, or the whole response to it. */
export type Pick = string | ProcessorResponse

const DESTINATION = 'x-gateway-destination-endpoint'

/**
 * An endpoint picker as the specification has it: it reads the whole request, names an endpoint, and gives the body
 * back.
 *
 * @param choose Returns `ip:port`, several of them separated by commas, or a response of another form.
 * @param rewrite Changes the body.
 */
export const picking =
  (
    choose: (request: PickedRequest) => Pick,
    rewrite: (body: string) => string = (body) => body,
  ): ((stream: ProcessorStream) => void) =>
  (stream) => {
    let head: ProcessingRequest | undefined
    const chunks: Uint8Array[] = []
    const respond = () => {
      const body = Buffer.concat(chunks).toString()
      const hint = head?.metadataContext?.filterMetadata['envoy.lb.subset_hint']
      const pick = choose({
        headers: fieldsOf(head),
        body,
        subset: hint?.['x-gateway-destination-endpoint-subset'],
      })
      stream.write(typeof pick === 'string' ? headWith(pick) : pick)
      if (chunks.length)
        stream.write({
          response: {
            case: 'requestBody',
            value: { response: { bodyMutation: streamed(Buffer.from(rewrite(body)), true) } },
          },
        })
    }
    stream.on('data', (message: ProcessingRequest) => {
      const { request } = message
      if (request.case === 'requestHeaders') {
        head = message
        if (request.value.endOfStream) respond()
      } else if (request.case === 'requestBody') {
        chunks.push(request.value.body)
        if (request.value.endOfStream) respond()
      } else if (request.case === 'responseHeaders')
        stream.write({ response: { case: 'responseHeaders', value: {} } })
      else if (request.case === 'responseBody')
        stream.write({
          response: {
            case: 'responseBody',
            value: {
              response: { bodyMutation: streamed(request.value.body, request.value.endOfStream) },
            },
          },
        })
    })
    stream.on('end', () => stream.end())
  }

/** The response that names endpoints in a header. */
export const headWith = (destination: string): ProcessorResponse => ({
  response: {
    case: 'requestHeaders',
    value: {
      response: {
        headerMutation: {
          setHeaders: [{ header: { key: DESTINATION, rawValue: Buffer.from(destination) } }],
        },
      },
    },
  },
})

/** The response that names endpoints in metadata only. */
export const metadataWith = (destination: string): ProcessorResponse => ({
  response: { case: 'requestHeaders', value: {} },
  dynamicMetadata: { 'envoy.lb': { [DESTINATION]: destination } },
})

/** The endpoint that the gateway reports with a response. */
export const servedBy = ({ metadataContext }: ProcessingRequest): unknown =>
  metadataContext?.filterMetadata['envoy.lb']?.['x-gateway-destination-endpoint-served']

const streamed = (body: Uint8Array, endOfStream: boolean) => ({
  mutation: { case: 'streamedResponse' as const, value: { body, endOfStream } },
})

const fieldsOf = (message: ProcessingRequest | undefined): Record<string, string> =>
  message?.request.case === 'requestHeaders'
    ? Object.fromEntries(
        (message.request.value.headers?.headers ?? []).map(({ key, value, rawValue }) => [
          key,
          rawValue.length ? Buffer.from(rawValue).toString() : value,
        ]),
      )
    : {}
