import { type ServerResponse, STATUS_CODES } from 'node:http'
import { deny, type Reply } from '../../../model/exchange/reply.ts'

/** Why a request is rejected before it becomes an exchange. */
export interface RejectedRequest {
  readonly status: number
  /** Stable snake_case code for logs. */
  readonly code: string
  /** The text the client gets. */
  readonly message: string
}

/** The rejection for a parser or time-out error; undefined if the client is gone. */
export const rejectionOf = (error: NodeJS.ErrnoException): RejectedRequest | undefined => {
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
export const headersTooLarge: RejectedRequest = {
  status: 431,
  code: 'headers_too_large',
  message: 'too many header fields, or too large',
}

/** A head or a body that is not complete in time. */
export const requestTooSlow: RejectedRequest = {
  status: 408,
  code: 'request_timeout',
  message: 'the request took too long to arrive',
}

/** A request line of neither HTTP/1.0 nor HTTP/1.1. */
export const otherProtocol: RejectedRequest = {
  status: 400,
  code: 'unsupported_http_version',
  message: 'invalid request: the protocol is not HTTP/1.0 or HTTP/1.1',
}

/** An upgrade request with a body is refused: the body would be taken for bytes of the other protocol. */
export const bodyWithUpgrade: RejectedRequest = {
  status: 400,
  code: 'body_with_upgrade',
  message: 'invalid request: an upgrade has no body',
}

/** A rejection as the reply of an exchange that has begun. */
export const rejectionReply = ({ status, code, message }: RejectedRequest): Reply =>
  deny(status, code, { message, reason: status === 408 ? 'Timeout' : 'InvalidRequest' })

/** A rejection as bytes, for a connection without a response object. */
export const refusalBytes = ({ status, message }: RejectedRequest): string =>
  `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\ncontent-type: text/plain\r\n` +
  `content-length: ${Buffer.byteLength(message)}\r\nconnection: close\r\n\r\n${message}`

/** Writes a rejection as the last response of a connection. */
export const writeRefusal = (res: ServerResponse, { status, message }: RejectedRequest): void => {
  res.shouldKeepAlive = false
  res.writeHead(status, ['content-type', 'text/plain', 'content-length', String(Buffer.byteLength(message))])
  res.end(message)
}
