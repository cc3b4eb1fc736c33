import { STATUS_CODES } from 'node:http'
import { deny, type Reply } from '../../model/reply.ts'

/** Why a request is turned away before anything of it is looked at. */
export interface Refusal {
  readonly status: number
  /** Stable snake_case word for logs. */
  readonly code: string
  /** The text the client gets. */
  readonly message: string
}

/** What a parser or time-out error means to the client; undefined if there is nobody left to be told. */
export const refusalOf = (error: NodeJS.ErrnoException): Refusal | undefined => {
  switch (error.code) {
    case 'HPE_HEADER_OVERFLOW':
      return headersTooLarge
    case 'HPE_CHUNK_EXTENSIONS_OVERFLOW':
      return { status: 413, code: 'chunk_extensions_too_large', message: 'chunk extensions too large' }
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return requestTooSlow
    default:
      return error.code?.startsWith('HPE_')
        ? { status: 400, code: 'malformed_request', message: 'invalid request' }
        : undefined
  }
}

/** Too many header fields, or too many bytes of them. */
export const headersTooLarge: Refusal = {
  status: 431,
  code: 'headers_too_large',
  message: 'too many header fields, or too large',
}

/** A head or a body that does not end in time. */
export const requestTooSlow: Refusal = {
  status: 408,
  code: 'request_timeout',
  message: 'the request took too long to arrive',
}

/** A refusal as the answer of an exchange that has begun. */
export const refusalReply = ({ status, code, message }: Refusal): Reply =>
  deny(status, code, { message, reason: status === 408 ? 'Timeout' : 'InvalidRequest' })

/** A refusal as bytes, for a connection that has no response to write it with. */
export const refusalBytes = ({ status, message }: Refusal): string =>
  `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\ncontent-type: text/plain\r\n` +
  `content-length: ${Buffer.byteLength(message)}\r\nconnection: close\r\n\r\n${message}`
