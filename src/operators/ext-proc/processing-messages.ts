import type { JsonObject, MessageInitShape } from '@bufbuild/protobuf'
import type { Exchange } from '../../model/exchange/exchange.ts'
import type { Headers } from '../../model/exchange/headers.ts'
import type {
  CommonResponse,
  HeaderMutation,
  HeadersResponse,
  ProcessingRequestSchema,
  ProcessingResponse,
} from '../../protocols/grpc/ext-proc.gen.ts'
import type { ProcessingMode } from '../../protocols/grpc/processing-mode.gen.ts'
import type { Direction } from './processing-mode.ts'

/** One part of a message to a processor, without the envelope. */
export type ProcessingRequestPart = NonNullable<MessageInitShape<typeof ProcessingRequestSchema>['request']>

/** A processor's response to one part of a message. */
export type ProcessingResponsePart =
  | HeadersResponsePart
  | { readonly part: 'body'; readonly response: CommonResponse | undefined }
  | { readonly part: 'trailers'; readonly mutation: HeaderMutation | undefined }

/** A processor's response to a head. */
export interface HeadersResponsePart {
  readonly part: 'headers'
  readonly response: CommonResponse | undefined
  readonly metadata: JsonObject | undefined
  readonly override: ProcessingMode | undefined
}

/** The head of a request. `host` is sent as `:authority`. */
export const requestHead = ({ request }: Exchange, endOfStream: boolean): ProcessingRequestPart => ({
  case: 'requestHeaders',
  value: {
    headers: {
      headers: [
        { key: ':method', value: request.method },
        { key: ':scheme', value: request.scheme },
        { key: ':authority', value: request.authority },
        { key: ':path', value: request.target },
        ...fields(request.headers.raw, 'host'),
      ],
    },
    endOfStream,
  },
})

/** The head of a reply. */
export const replyHead = (
  { status, headers }: { status: number; headers: Headers },
  endOfStream: boolean,
): ProcessingRequestPart => ({
  case: 'responseHeaders',
  value: {
    headers: { headers: [{ key: ':status', value: String(status) }, ...fields(headers.raw)] },
    endOfStream,
  },
})

/** A chunk of a body. */
export const bodyPart = (
  direction: Direction,
  body: Uint8Array,
  endOfStream: boolean,
): ProcessingRequestPart => ({
  case: direction === 'request' ? 'requestBody' : 'responseBody',
  value: { body, endOfStream },
})

/** The trailers of a body. */
export const trailerPart = (direction: Direction, trailers: readonly string[]): ProcessingRequestPart => ({
  case: direction === 'request' ? 'requestTrailers' : 'responseTrailers',
  value: { trailers: { headers: fields(trailers) } },
})

/** Decodes a response; undefined if it is about neither direction. */
export const processingResponseOf = (
  message: ProcessingResponse,
): { readonly direction: Direction; readonly response: ProcessingResponsePart } | undefined => {
  const { response } = message
  switch (response.case) {
    case 'requestHeaders':
      return { direction: 'request', response: headersResponse(message, response.value) }
    case 'requestBody':
      return { direction: 'request', response: { part: 'body', response: response.value.response } }
    case 'requestTrailers':
      return { direction: 'request', response: { part: 'trailers', mutation: response.value.headerMutation } }
    case 'responseHeaders':
      return { direction: 'reply', response: headersResponse(message, response.value) }
    case 'responseBody':
      return { direction: 'reply', response: { part: 'body', response: response.value.response } }
    case 'responseTrailers':
      return { direction: 'reply', response: { part: 'trailers', mutation: response.value.headerMutation } }
    default:
      return undefined
  }
}

const headersResponse = (
  { dynamicMetadata, modeOverride }: ProcessingResponse,
  { response }: HeadersResponse,
): HeadersResponsePart => ({ part: 'headers', response, metadata: dynamicMetadata, override: modeOverride })

/** A character of a field is a byte, and processors get bytes. */
const fields = (raw: readonly string[], without?: string): { key: string; rawValue: Uint8Array }[] => {
  const list: { key: string; rawValue: Uint8Array }[] = []
  for (let i = 0; i + 1 < raw.length; i += 2)
    if (raw[i] !== without)
      list.push({ key: raw[i] as string, rawValue: Buffer.from(raw[i + 1] as string, 'latin1') })
  return list
}
