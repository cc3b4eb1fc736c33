import type { JsonObject } from '../../protocols/json-rpc/message.ts'

/** The JSON object that bytes say; undefined if they say none. */
export const objectIn = (bytes: Uint8Array): JsonObject | undefined => {
  try {
    const value: unknown = JSON.parse(decoder.decode(bytes))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as JsonObject)
      : undefined
  } catch {
    return undefined
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true })
