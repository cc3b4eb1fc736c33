import type { Headers } from '../../model/exchange/headers.ts'
import type { JsonObject } from '../json-rpc/message.ts'
import { isJsonObject } from '../json/json-object.ts'

/**
 * The result of a tool call from a server's response. JSON becomes structured content with the text as a
 * copy; text becomes `{ code, message }`, images and audio content of their kind, other bytes an embedded
 * resource. A status other than success makes it an error that a model can read.
 *
 * JSON texts are kept unchanged, so that numbers keep digits beyond double precision.
 */
export const resultOf = (tool: string, status: number, headers: Headers, body: Buffer): JsonObject => {
  const type = headers.get('content-type') ?? ''
  const isError = status < 200 || (status >= 300 && status !== 304)
  const result = contentOf(tool, status, type, body)
  if (!isError) return result
  const location = headers.get('location')
  const where = location === undefined ? '' : ` and refers to ${location}`
  const text = `Upstream API call for tool ${tool} failed with status ${status}${where}`
  const content = result.content as readonly unknown[]
  return { ...result, content: [{ type: 'text', text }, ...content], isError: true }
}

/** The result of a tool call whose response is longer than the limit. */
export const tooLongResult = (tool: string, limitBytes: number): JsonObject => {
  const text = `Upstream API call for tool ${tool} was answered with more than ${limitBytes} bytes`
  return { content: [{ type: 'text', text }], isError: true }
}

const contentOf = (tool: string, status: number, type: string, body: Buffer): JsonObject => {
  const essence = (type.split(';', 1)[0] ?? '').trim().toLowerCase()
  const media = /^(image|audio)\/[a-z0-9.+-]+$/.exec(essence)?.[1]
  if (media !== undefined && essence !== 'image/svg+xml')
    return { content: [{ type: media, data: body.toString('base64'), mimeType: essence }] }
  const text = decoded(body, type)
  if (text === undefined) {
    const mimeType = essence === '' ? 'application/octet-stream' : essence
    const resource = { uri: `openapi://${tool}/answer`, mimeType, blob: body.toString('base64') }
    return { content: [{ type: 'resource', resource }] }
  }
  const json = essence === '' || /^[^/]+\/(.+\+)?json$/.test(essence) ? parsed(text) : undefined
  if (json === undefined) return structured({ code: status, message: text })
  return isJsonObject(json.value)
    ? structured(json.value, text.trim())
    : structured({ data: json.value }, `{"data":${text.trim()}}`)
}

const structured = (structuredContent: JsonObject, text = JSON.stringify(structuredContent)): JsonObject => ({
  content: [{ type: 'text', text }],
  structuredContent,
})

/** Deeper values overflow the stack of recursive serialisers. */
const MAX_DEPTH = 512

const parsed = (text: string): { readonly value: unknown } | undefined => {
  try {
    const value: unknown = JSON.parse(text)
    return isDeep(text) ? undefined : { value }
  } catch {
    return undefined
  }
}

/** Scans a text that is known to be JSON. */
const isDeep = (text: string): boolean => {
  let depth = 0
  let isInString = false
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (isInString) {
      if (code === BACKSLASH) i++
      else if (code === QUOTE) isInString = false
    } else if (code === QUOTE) isInString = true
    else if (code === BRACE || code === BRACKET) {
      if (++depth > MAX_DEPTH) return true
    } else if (code === BRACE + 2 || code === BRACKET + 2) depth--
  }
  return false
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const BRACKET = 0x5b
const BRACE = 0x7b

/** Decodes bytes as text; undefined if they are not text. */
const decoded = (body: Buffer, type: string): string | undefined => {
  const charset = /;\s*charset="?([\w.:-]+)/i.exec(type)?.[1]
  const text = decode(body, charset ?? 'utf-8')
  return text === undefined || text.includes('\0') ? undefined : text
}

const decode = (body: Buffer, charset: string): string | undefined => {
  try {
    return new TextDecoder(charset, { fatal: true }).decode(body)
  } catch {
    return charset === 'utf-8' ? undefined : decode(body, 'utf-8')
  }
}
