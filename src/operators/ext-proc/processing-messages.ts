import type { JsonObject, MessageInitShape } from '@bufbuild/protobuf'
import type { Exchange } from '../../model/exchange.ts'
import type { Headers } from '../../model/headers.ts'
import type {
  CommonResponse,
  HeaderMutation,
  HeadersResponse,
  ProcessingRequestSchema,
  ProcessingResponse,
} from '../../protocols/grpc/ext-proc.gen.ts'
import type { ProcessingMode } from '../../protocols/grpc/processing-mode.gen.ts'
import type { Direction } from './modes.ts'

/** One message to a processor, without what stands around it. */
export type Told = NonNullable<MessageInitShape<typeof ProcessingRequestSchema>['request']>

/** What a processor said about one part of a message. */
export type Answer =
  | HeadAnswer
  | { readonly part: 'body'; readonly response: CommonResponse | undefined }
  | { readonly part: 'trailers'; readonly mutation: HeaderMutation | undefined }

/** What a processor said about a head. */
export interface HeadAnswer {
  readonly part: 'headers'
  readonly response: CommonResponse | undefined
  readonly metadata: JsonObject | undefined
  readonly override: ProcessingMode | undefined
}

/** Shows the head of a request. `host` is in it as the authority. */
export const requestHead = ({ request }: Exchange, endOfStream: boolean): Told => ({
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

/** Shows the head of a reply. */
export const replyHead = (
  { status, headers }: { status: number; headers: Headers },
  endOfStream: boolean,
): Told => ({
  case: 'responseHeaders',
  value: {
    headers: { headers: [{ key: ':status', value: String(status) }, ...fields(headers.raw)] },
    endOfStream,
  },
})

/** Shows bytes of a body. */
export const bodyPart = (direction: Direction, body: Uint8Array, endOfStream: boolean): Told => ({
  case: direction === 'request' ? 'requestBody' : 'responseBody',
  value: { body, endOfStream },
})

/** Shows what follows a body. */
export const trailerPart = (direction: Direction, trailers: readonly string[]): Told => ({
  case: direction === 'request' ? 'requestTrailers' : 'responseTrailers',
  value: { trailers: { headers: fields(trailers) } },
})

/** What a processor talks about; undefined if it is no part of either direction. */
export const answerOf = (
  said: ProcessingResponse,
): { readonly direction: Direction; readonly answer: Answer } | undefined => {
  const { response } = said
  switch (response.case) {
    case 'requestHeaders':
      return { direction: 'request', answer: headAnswer(said, response.value) }
    case 'requestBody':
      return { direction: 'request', answer: { part: 'body', response: response.value.response } }
    case 'requestTrailers':
      return { direction: 'request', answer: { part: 'trailers', mutation: response.value.headerMutation } }
    case 'responseHeaders':
      return { direction: 'reply', answer: headAnswer(said, response.value) }
    case 'responseBody':
      return { direction: 'reply', answer: { part: 'body', response: response.value.response } }
    case 'responseTrailers':
      return { direction: 'reply', answer: { part: 'trailers', mutation: response.value.headerMutation } }
    default:
      return undefined
  }
}

const headAnswer = (
  { dynamicMetadata, modeOverride }: ProcessingResponse,
  { response }: HeadersResponse,
): HeadAnswer => ({ part: 'headers', response, metadata: dynamicMetadata, override: modeOverride })

/** A character of a field is a byte, and bytes are what processors get. */
const fields = (raw: readonly string[], without?: string): { key: string; rawValue: Uint8Array }[] => {
  const list: { key: string; rawValue: Uint8Array }[] = []
  for (let i = 0; i + 1 < raw.length; i += 2)
    if (raw[i] !== without)
      list.push({ key: raw[i] as string, rawValue: Buffer.from(raw[i + 1] as string, 'latin1') })
  return list
}
