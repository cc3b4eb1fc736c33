import { type JsonObject, jsonObjectIn } from '../../json/json-object.ts'
import { EncodedText, isTextual, isTextualFormat, isTextualUrl } from './encoded-text.ts'
import { isJson, beginsAsJson, JsonText } from './json-text.ts'
import { type Echo, MemberText } from './member-text.ts'
import { isLongNumber, NumberText } from './number-text.ts'
import { modeOfError } from './error-vocabulary.ts'
import { modeOfSchema } from './schema-vocabulary.ts'
import { type Mode, modeOf, modeOfTool } from './vocabulary.ts'
import { type Voice, voiceOf, voiceOfMember, voices } from './voices.ts'

/** What is peculiar about the outermost object of a search. */
export interface View {
  /** Whose texts they are where nothing else is said. */
  readonly voice: Voice
  /** How the object is searched; as parts, where that is not said. */
  readonly mode?: Mode
  /** The only members that are searched. */
  readonly only?: ReadonlySet<string>
  /** How members are searched, where their names alone do not say so. `none`: not at all. */
  readonly modes?: ReadonlyMap<string, Mode | 'none'>
  /** What repeats its texts, beside it. */
  readonly echo?: Echo | undefined
  /** The texts are pieces of longer ones: what they are cannot be told by one of them. */
  readonly arePieces?: boolean
}

/**
 * Finds the texts in a JSON object, in the order of the wire. Whatever is of an odd type is passed over. Names of members
 * are no texts.
 *
 * Without recursion: nobody has looked at how deep it is. The time it takes grows with the number of its values.
 */
export const walk = (object: JsonObject, view: View): MemberText[] => {
  const found: MemberText[] = []
  const stack: Place[] = []
  pushMembers(
    stack,
    object,
    { mode: view.mode ?? 'parts', voice: view.voice, path: '', echo: view.echo },
    view,
  )
  for (let place = stack.pop(); place; place = stack.pop()) {
    const { holder, key, mode, voice, path, echo } = place
    const value = holder[key]
    if (typeof value === 'string') {
      if (value === '') continue
      if (mode === 'encoded') found.push(new EncodedText(holder, key, voice, path, echo))
      else if (mode === 'text' || mode === 'all' || mode === 'error') {
        const isWritten = view.arePieces !== true && isWrittenJson(value, key, voice)
        const kind = isWritten ? JsonText : MemberText
        found.push(new kind(holder, key, voice, path, echo))
      }
    } else if (typeof value === 'number') found.push(new NumberText(holder, key, voice, path, echo))
    else if (Array.isArray(value)) pushItems(stack, value, place)
    else if (value !== null) pushMembers(stack, value as JsonObject, place)
  }
  return found
}

/** What tools are asked and say is JSON in many formats, as a text. */
const isWrittenJson = (text: string, key: string, { scope }: Voice): boolean => {
  if (scope !== 'toolInput' && scope !== 'toolOutput') return false
  return key === 'arguments' ? beginsAsJson(text) : text.includes('\\') && isJson(text)
}

/** How the inside of a value is searched. */
interface Context {
  readonly mode: Mode
  readonly voice: Voice
  readonly path: string
  readonly echo: Echo | undefined
}

/** Where a value is that is still to be searched. The last one is the next. */
interface Place extends Context {
  readonly holder: JsonObject
  readonly key: string
}

const pushItems = (stack: Place[], list: unknown[], { mode, voice, path, echo }: Context): void => {
  // Lists of numbers may be long: vectors, and texts that are tokens already.
  for (let i = list.length - 1; i >= 0; i--) {
    const item = list[i]
    if (!isOfInterest(item, mode)) continue
    const number = typeof item === 'object' ? (item as JsonObject).index : undefined
    const step = typeof number === 'number' ? `#${String(number)}` : '*'
    stack.push({
      holder: list as unknown as JsonObject,
      key: String(i),
      mode,
      voice,
      path: joined(path, step),
      echo,
    })
  }
}

const pushMembers = (
  stack: Place[],
  object: JsonObject,
  { mode, voice: around, path, echo: outer }: Context,
  view?: View,
): void => {
  const names = Object.keys(object)
  const isPart = !impersonal.has(mode)
  const voice = isPart ? voiceOf(object, around) : around
  const echo = echoIn(object, outer)
  for (let i = names.length - 1; i >= 0; i--) {
    const key = names[i] as string
    const value = object[key]
    if (!isOfInterest(value, 'all')) continue
    if (view?.only && !view.only.has(key)) continue
    const given = view?.modes?.get(key)
    const its = isPart ? voiceOfMember(key, voice) : voice
    const found = given ?? ofMember(mode, object, key, its)
    if (found === undefined || found === 'none' || !isOfInterest(value, found)) continue
    // What tools and answers are to be like is the application's word.
    const who = found === 'tools' && its.scope === 'messages' ? voices.system : its
    stack.push({ holder: object, key, mode: found, voice: who, path: joined(path, key), echo })
  }
}

/** Nobody says what is in there but who says the whole. */
const impersonal: ReadonlySet<Mode> = new Set(['all', 'tools', 'schema', 'schemas', 'error'])

/** Numbers are where all is said in JSON, such as by tools. */
const isOfInterest = (value: unknown, mode: Mode): boolean =>
  typeof value === 'string' ||
  (typeof value === 'object' && value !== null) ||
  (mode === 'all' && isLongNumber(value))

const joined = (path: string, step: string): string => (path === '' ? step : `${path}/${step}`)

/** What tells the likelihood of each piece of a text says the text as well. */
export const echoIn = (object: JsonObject, outer?: Echo): Echo | undefined => {
  if (typeof object.logprobs === 'object' && object.logprobs !== null)
    return { holder: object, key: 'logprobs', outer }
  return jsonObjectIn(object.logprobsResult) ? { holder: object, key: 'logprobsResult', outer } : outer
}

const ofMember = (mode: Mode, object: JsonObject, key: string, voice: Voice): Mode | 'none' | undefined => {
  if (mode === 'all') return mode
  if (mode === 'values') return 'text'
  if (mode === 'error') return modeOfError(key)
  if (mode === 'tools') return modeOfTool(key, object[key])
  if (mode === 'schema') return modeOfSchema(key, object[key])
  if (mode === 'schemas') return typeof object[key] === 'string' ? 'text' : 'schema'
  return mode === 'document' && key === 'bytes' ? 'encoded' : ofPart(object, key, voice)
}

/** How a member of a part is searched. */
const ofPart = (part: JsonObject, key: string, voice: Voice): Mode | undefined => {
  const value = part[key]
  switch (key) {
    case 'data':
      if (typeof value !== 'string') break
      // A document: as it is, or in base64.
      if (part.type === 'text') return 'text'
      return isTextual(part.media_type ?? part.mimeType ?? part.mime_type) ? 'encoded' : undefined
    case 'file_data':
      return typeof value === 'string' && isTextualUrl(value) ? 'encoded' : undefined
    case 'source':
      if (isTextualFormat(part.format) && jsonObjectIn(value)) return 'document'
      break
    case 'name':
      // Of a document: its title.
      return typeof part.format === 'string' && jsonObjectIn(part.source) ? 'text' : undefined
    case 'result':
      if (part.type === 'image_generation_call') return undefined
      break
    case 'response':
      return voice.scope === 'toolOutput' ? 'all' : 'parts'
    case 'content':
    case 'output':
      // What a function gives back, without a word on how it is to be read.
      if (voice.scope === 'toolOutput' && jsonObjectIn(value)?.type === undefined && jsonObjectIn(value))
        return 'all'
  }
  return modeOf(key, value)
}
