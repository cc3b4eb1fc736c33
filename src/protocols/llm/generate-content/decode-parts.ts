import type { FilePart, ImagePart, Part, TextPart, ToolResultPart } from '../chat/parts.ts'
import type { Fields } from '../members/fields.ts'
import type { Losses } from '../dropped-fields.ts'
import { callIdIn } from './call-id.ts'
import { knownFields } from './known-fields.ts'
import { audioFormatOf } from './media-types.ts'

/** Assigns ids to calls and their results, since this format may omit them. */
export interface CallIds {
  idOfCall(name: string): string
  /** Undefined if there is no call without a result. */
  idOfResponse(name: string): string | undefined
}

/** Decodes one `Part` of a content; undefined if the common form has no equivalent. */
export const decodePart = (part: Fields, ids: CallIds, losses: Losses): Part | undefined => {
  const text = part.text('text')
  if (text !== undefined) return decodeText(part, text, losses)
  const call = part.fields('functionCall')
  if (call) return decodeCall(part, call, ids, losses)
  part.dropOthers(kindsOfPart, knownFields.part, 'contents.parts.', losses)
  const functionResponse = part.fields('functionResponse')
  if (functionResponse) return decodeResponse(functionResponse, ids, losses)
  if (Object.keys(part.object).length === 0)
    part.refuse('text', 'is missing, and so is any other kind of part')
  return decodeMedia(part)
}

const decodeText = (part: Fields, text: string, losses: Losses): Part => {
  const signature = part.text('thoughtSignature')
  if (part.flag('thought')) {
    part.dropOthers(fieldsOfThought, knownFields.part, 'contents.parts.', losses)
    return { type: 'thinking', text, signature }
  }
  part.dropOthers(fieldsOfText, knownFields.part, 'contents.parts.', losses)
  return { type: 'text', text }
}

const decodeCall = (part: Fields, call: Fields, ids: CallIds, losses: Losses): Part => {
  part.dropOthers(fieldsOfCallPart, knownFields.part, 'contents.parts.', losses)
  call.dropOthers(fieldsOfCall, knownFields.functionCall, 'contents.parts.functionCall.', losses)
  const name = call.neededText('name')
  return {
    type: 'toolCall',
    id: callIdIn(call) ?? ids.idOfCall(name),
    name,
    arguments: JSON.stringify(call.json('args') ?? {}),
    signature: part.text('thoughtSignature'),
  }
}

const decodeResponse = (functionResponse: Fields, ids: CallIds, losses: Losses): ToolResultPart => {
  functionResponse.dropOthers(
    functionResponseFields,
    knownFields.functionResponse,
    'contents.parts.functionResponse.',
    losses,
  )
  const name = functionResponse.neededText('name')
  const id = callIdIn(functionResponse) ?? ids.idOfResponse(name)
  if (id === undefined) functionResponse.refuse('name', 'is not that of a function that was called before')
  const response = functionResponse.json('response') ?? {}
  const isError = response.error !== undefined && response.output === undefined
  const value = isError ? response.error : (response.output ?? response.result)
  const parts: (TextPart | ImagePart | FilePart)[] = [
    { type: 'text', text: typeof value === 'string' ? value : JSON.stringify(value ?? response) },
  ]
  for (const item of functionResponse.list('parts')) {
    const media = decodeMedia(item)
    if (media?.type === 'image' || media?.type === 'file') parts.push(media)
    else losses.drop('contents.parts.functionResponse.parts')
  }
  return { type: 'toolResult', id, name, parts, isError: isError ? true : undefined }
}

const decodeMedia = (part: Fields): Part | undefined => {
  const inline = part.fields('inlineData')
  if (inline) {
    const mediaType = inline.neededText('mimeType')
    const base64 = inline.neededText('data')
    if (mediaType.startsWith('audio/')) return { type: 'audio', base64, format: audioFormatOf(mediaType) }
    if (mediaType.startsWith('image/')) return { type: 'image', source: { base64, mediaType } }
    return { type: 'file', source: { base64, mediaType }, name: inline.text('displayName') }
  }
  const file = part.fields('fileData')
  if (!file) return undefined
  const mediaType = file.text('mimeType')
  const source = { url: file.neededText('fileUri'), mediaType }
  if (mediaType?.startsWith('image/')) return { type: 'image', source }
  return { type: 'file', source, name: file.text('displayName') }
}

const fieldsOfText = new Set(['text', 'thought'])
const fieldsOfThought = new Set(['text', 'thought', 'thoughtSignature'])
const fieldsOfCallPart = new Set(['functionCall', 'thoughtSignature', 'thought'])
const fieldsOfCall = new Set(['id', 'name', 'args'])
const functionResponseFields = new Set(['id', 'name', 'response', 'parts'])
const kindsOfPart = new Set(['functionResponse', 'inlineData', 'fileData', 'thought'])
