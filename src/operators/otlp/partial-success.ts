import type { OtlpPartialSuccess } from '../../model/tracing/otlp-transport.ts'

/**
 * Reads an `ExportTracePartialSuccess` or `ExportLogsPartialSuccess`: field 1 is the number of rejected records, field 2
 * the message. Undefined if it is empty or malformed: the export has been accepted in any case.
 */
export const partialSuccessIn = (bytes: Uint8Array): OtlpPartialSuccess | undefined => {
  let rejected = 0
  let message = ''
  let at = 0
  while (at < bytes.length) {
    const tag = bytes[at] ?? 0
    const value = readVarint(bytes, at + 1)
    if (!value || (tag !== VARINT_1 && tag !== BYTES_2)) break
    at = value.end
    if (tag === VARINT_1) rejected = value.value
    else {
      message = new TextDecoder().decode(bytes.subarray(at, at + value.value)).slice(0, MAX_MESSAGE)
      at += value.value
    }
  }
  return rejected > 0 || message !== '' ? { rejected, message } : undefined
}

/** The message that is embedded as field 1 in another one, without tag and length; undefined if there is none. */
export const embeddedMessage = (bytes: Uint8Array): Uint8Array | undefined => {
  if (bytes[0] !== BYTES_1) return undefined
  const length = readVarint(bytes, 1)
  return length && bytes.subarray(length.end, length.end + length.value)
}

/** A variable-length number of protobuf, and where it ends. */
const readVarint = (bytes: Uint8Array, from: number): { value: number; end: number } | undefined => {
  let value = 0
  for (let i = 0; i < MAX_VARINT_BYTES; i++) {
    const byte = bytes[from + i]
    if (byte === undefined) return undefined
    value += (byte & 0x7f) * 2 ** (7 * i)
    if (byte < 0x80) return { value, end: from + i + 1 }
  }
  return undefined
}

/** Field numbers with wire types. */
const VARINT_1 = 0x08
const BYTES_1 = 0x0a
const BYTES_2 = 0x12
/** Numbers of records and lengths are small. */
const MAX_VARINT_BYTES = 7
/** Longest message of a collector in the log. */
const MAX_MESSAGE = 512
