/** The first handshake message of a connection, or why there is none. */
export type HandshakeReading =
  | { readonly kind: 'more' }
  | { readonly kind: 'invalid'; readonly why: string }
  /** The body of the ClientHello, without its header. */
  | { readonly kind: 'message'; readonly bytes: Buffer }

/**
 * Reassembles the ClientHello from its records. At most 16 KiB in 64 records: no client sends more, and a
 * client that sends byte by byte must not make the gateway scan the same bytes again and again.
 */
export const joinHandshake = (bytes: Buffer): HandshakeReading => {
  const fragments: Buffer[] = []
  let have = 0
  let end: number | undefined
  let at = 0
  for (let records = 0; records < MAX_RECORDS; records++) {
    const record = readRecord(bytes, at)
    if (record.kind !== 'message') return record
    fragments.push(record.bytes)
    have += record.bytes.length
    at += RECORD_HEAD_BYTES + record.length
    if (end === undefined && have >= 4) {
      const head = Buffer.concat(fragments)
      if (head[0] !== CLIENT_HELLO) return invalid('the first handshake message is not a ClientHello')
      end = 4 + head.readUIntBE(1, 3)
      if (end > MAX_HELLO_BYTES) return invalid('the ClientHello is longer than 16 KiB')
    }
    if (end !== undefined && have >= end) {
      return { kind: 'message', bytes: Buffer.concat(fragments).subarray(4, end) }
    }
    if (record.bytes.length < record.length) return { kind: 'more' }
  }
  return invalid('the ClientHello is spread over more than 64 records')
}

const HANDSHAKE = 22
const CLIENT_HELLO = 1
const RECORD_HEAD_BYTES = 5
const MAX_RECORD_BYTES = 16_384
const MAX_HELLO_BYTES = 16_384
const MAX_RECORDS = 64

type RecordReading =
  | Exclude<HandshakeReading, { kind: 'message' }>
  /** The bytes of the record so far, and its full length. */
  | { readonly kind: 'message'; readonly bytes: Buffer; readonly length: number }

const readRecord = (bytes: Buffer, at: number): RecordReading => {
  const head = bytes.subarray(at, at + RECORD_HEAD_BYTES)
  if (head.length > 0 && head[0] !== HANDSHAKE)
    return invalid('the connection does not begin with a TLS handshake')
  if (head.length > 1 && head[1] !== 3) return invalid('the record is of an unknown version')
  if (head.length < RECORD_HEAD_BYTES) return { kind: 'more' }
  const length = head.readUInt16BE(3)
  if (length === 0 || length > MAX_RECORD_BYTES) return invalid('a record has an impossible length')
  const start = at + RECORD_HEAD_BYTES
  return { kind: 'message', bytes: bytes.subarray(start, start + length), length }
}

const invalid = (why: string): { kind: 'invalid'; why: string } => ({ kind: 'invalid', why })
