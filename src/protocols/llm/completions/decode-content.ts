import type { JsonObject } from '../../json/json-object.ts'
import { BadRequest } from '../chat/codec.ts'
import { untypedFile } from '../chat/media-types.ts'
import type {
  AudioPart,
  FilePart,
  ImagePart,
  RefusalPart,
  Source,
  TextPart,
  ThinkingPart,
} from '../chat/parts.ts'
import { cacheMarkIn } from './cache-control.ts'
import { textsIn } from './reply-text.ts'
import type { Losses } from '../dropped-fields.ts'
import { requestValues } from '../members/typed-fields.ts'

/** The source that a URL stands for: the bytes in a data URL (RFC 2397, base64), or a remote address. */
export const sourceOfUrl = (url: string): Source => {
  if (!url.startsWith('data:')) return { url }
  const comma = url.indexOf(',')
  const head = url.slice('data:'.length, comma)
  if (comma < 0 || !head.endsWith(';base64')) return { url }
  // Parameters, such as a charset, do not belong to the media type.
  const mediaType = head.slice(0, -';base64'.length).split(';', 1)[0] ?? ''
  return { base64: url.slice(comma + 1), mediaType: mediaType === '' ? 'text/plain' : mediaType }
}

/** Makes a data URL (RFC 2397). */
export const dataUrl = (mediaType: string, base64: string): string => `data:${mediaType};base64,${base64}`

/** A part of a message's content. */
export type ContentPart = TextPart | ImagePart | AudioPart | FilePart | RefusalPart | ThinkingPart

/**
 * Decodes the content of a message: a text, or a list of parts (`ChatCompletionContentPart` and the assistant's own).
 * Empty texts are no parts.
 *
 * @throws BadRequest also for unknown kinds of parts: content must not be dropped silently.
 */
export const decodeContent = (content: unknown, at: string, losses: Losses): readonly ContentPart[] => {
  if (content === undefined || content === null || content === '') return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (!Array.isArray(content)) throw new BadRequest(`${at} must be a string or an array`)
  return content.flatMap((part: unknown, i) => decodePart(part, `${at}[${i}]`, losses))
}

/** Decodes content that may contain text only. */
export const decodeWords = (content: unknown, at: string, losses: Losses): readonly TextPart[] =>
  decodeContent(content, at, losses).map((part) => {
    if (part.type !== 'text') throw new BadRequest(`${at} may hold text only`)
    return part
  })

const decodePart = (value: unknown, at: string, losses: Losses): readonly ContentPart[] => {
  const part = requestValues.object(value, at)
  const type = requestValues.text(part.type, `${at}.type`)
  const decode = decoders.get(type)
  if (!decode) throw new BadRequest(`${at}.type is not supported`)
  return decode(part, at, losses)
}

type Decode = (part: JsonObject, at: string, losses: Losses) => readonly ContentPart[]

const text: Decode = (part, at, losses) => {
  const words = requestValues.text(part.text, `${at}.text`)
  const cache = cacheMarkIn(part, losses)
  return words === '' ? [] : [{ type: 'text', text: words, ...(cache && { cache }) }]
}

const image: Decode = (part, at, losses) => {
  const cache = cacheMarkIn(part, losses)
  const marked = cache && { cache }
  // Mistral also accepts the bare URL.
  if (typeof part.image_url === 'string')
    return [{ type: 'image', source: sourceOfUrl(part.image_url), ...marked }]
  const { url, detail } = requestValues.object(part.image_url, `${at}.image_url`)
  const source = sourceOfUrl(requestValues.text(url, `${at}.image_url.url`))
  const how = requestValues.textIfAny(detail, `${at}.image_url.detail`)
  return [{ type: 'image', source, ...(how !== undefined && { detail: how }), ...marked }]
}

const audio: Decode = (part, at, losses) => {
  const { data, format } = requestValues.object(part.input_audio, `${at}.input_audio`)
  if (cacheMarkIn(part, losses)) losses.drop('messages.content.input_audio.cache_control')
  return [
    {
      type: 'audio',
      base64: requestValues.text(data, `${at}.input_audio.data`),
      format: requestValues.text(format, `${at}.input_audio.format`),
    },
  ]
}

const file: Decode = (part, at, losses) => {
  const { file_data, file_id, filename } = requestValues.object(part.file, `${at}.file`)
  const data = requestValues.textIfAny(file_data, `${at}.file.file_data`)
  const fileId = requestValues.textIfAny(file_id, `${at}.file.file_id`)
  const name = requestValues.textIfAny(filename, `${at}.file.filename`)
  const cache = cacheMarkIn(part, losses)
  const rest = { ...(name !== undefined && { name }), ...(cache && { cache }) }
  if (data !== undefined) return [{ type: 'file', source: sourceOfFile(data, name), ...rest }]
  if (fileId === undefined) throw new BadRequest(`${at}.file must hold file_data or file_id`)
  return [{ type: 'file', source: { fileId }, ...rest }]
}

/** A data URL, a web URL, or bare bytes. */
const sourceOfFile = (data: string, name: string | undefined): FilePart['source'] =>
  /^(?:data:|https?:\/\/)/i.test(data) ? sourceOfUrl(data) : untypedFile(data, name)

const refusal: Decode = (part, at) => [
  { type: 'refusal', text: requestValues.text(part.refusal, `${at}.refusal`) },
]

/** Thinking in the format of Mistral's models. */
const thinking: Decode = (part, at) => {
  const words = textsIn(part.thinking, `${at}.thinking`, requestValues).text
  return words === '' ? [] : [{ type: 'thinking', text: words }]
}

const decoders = new Map<string, Decode>([
  ['text', text],
  ['image_url', image],
  ['input_audio', audio],
  ['file', file],
  ['refusal', refusal],
  ['thinking', thinking],
])
