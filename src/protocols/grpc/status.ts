/** Whether a content type is `application/grpc`, with any suffix. */
export const isGrpc = (contentType: string | undefined): boolean =>
  contentType !== undefined &&
  contentType.length >= 16 &&
  (contentType.startsWith('application/grpc') ||
    contentType.slice(0, 16).toLowerCase() === 'application/grpc')

/** The `grpc-status` that corresponds to an HTTP status; 2 (UNKNOWN) if none does. */
export const grpcStatus = (httpStatus: number): number => statuses.get(httpStatus) ?? UNKNOWN

/**
 * Encodes a `grpc-message` field: UTF-8, with everything but visible ASCII and spaces percent-encoded, and
 * the percent sign too.
 *
 * @example
 * encodeGrpcMessage('50 % größer') // '50 %25 gr%C3%B6%C3%9Fer'
 */
export const encodeGrpcMessage = (text: string): string => {
  if (!needsEncoding.test(text)) return text
  let encoded = ''
  for (const byte of Buffer.from(text)) {
    const plain = byte >= 0x20 && byte <= 0x7e && byte !== PERCENT
    encoded += plain ? String.fromCharCode(byte) : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`
  }
  return encoded
}

const needsEncoding = /[^\x20-\x24\x26-\x7e]/
const PERCENT = 0x25

const UNKNOWN = 2
const PERMISSION_DENIED = 7
const UNIMPLEMENTED = 12
const INTERNAL = 13
const UNAVAILABLE = 14
const UNAUTHENTICATED = 16

const statuses = new Map([
  [400, INTERNAL],
  [401, UNAUTHENTICATED],
  [403, PERMISSION_DENIED],
  [404, UNIMPLEMENTED],
  [407, UNAUTHENTICATED],
  [429, UNAVAILABLE],
  [502, UNAVAILABLE],
  [503, UNAVAILABLE],
  [504, UNAVAILABLE],
])
