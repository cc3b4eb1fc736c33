import { type JsonObject, jsonObjectIn } from '../../json/json-object.ts'
import { EncodedText, isTextualUrl } from './base64-text.ts'
import { isBytes } from './harmless-members.ts'
import { isJson, beginsAsJson, JsonText } from './json-text.ts'
import { type RepeatedText, TextMember, type MoreOfText } from './text-member.ts'
import { isLongNumber, NumberText } from './number-text.ts'
import type { TextLine } from './text-slot.ts'
import { type Mode, modeOfError, modeOfTool } from './field-modes.ts'
import { modeOfPart } from './part-members.ts'
import { modeOfSchema } from './schema-field-modes.ts'
import { type TextRole, textRoleOf, textRoleOfMember, textRoles } from './roles.ts'

/** The options of a search, for the outermost object. */
export interface TextView {
  /** The role of texts where nothing else determines it. */
  readonly textRole: TextRole
  /** How the object is searched; as parts, where that is not said. */
  readonly mode?: Mode
  /** The only members that are searched. */
  readonly only?: ReadonlySet<string>
  /** How members are searched, where their names alone do not say so. `none`: not at all. */
  readonly modes?: ReadonlyMap<string, Mode | 'none'>
  /** What repeats its texts, beside it. */
  readonly echo?: RepeatedText | undefined
  /** The texts are pieces of longer ones: what they are cannot be told by one of them. */
  readonly arePieces?: boolean
  /** Each of the texts stands by itself, such as those that vectors are wanted of. */
  readonly areApart?: boolean
}

/**
 * Finds the texts in a JSON object, in the order of the body. Values of unexpected types are skipped. Names of members
 * are no texts.
 *
 * Without recursion, since the depth has not been checked. Takes time linear in the number of values.
 */
export const walk = (object: JsonObject, view: TextView): TextMember[] => {
  const found: TextMember[] = []
  const stack: PendingValue[] = []
  pushMembers(
    stack,
    object,
    { mode: view.mode ?? 'parts', textRole: view.textRole, path: '', echo: view.echo, within: undefined },
    view,
  )
  for (let pending = stack.pop(); pending; pending = stack.pop()) {
    const { holder, key, mode, textRole, path } = pending
    const value = holder[key]
    if (typeof value === 'string') {
      if (value === '') continue
      if (mode === 'encoded') found.push(new EncodedText(holder, key, textRole, path, about(pending)))
      else if (mode === 'other' || mode === 'name' || mode === 'tools') {
        const other = otherText(pending, value)
        if (other) found.push(other)
      } else if (mode === 'text' || mode === 'all' || mode === 'error') {
        const isWritten = view.arePieces !== true && isWrittenJson(value, key, textRole)
        const kind = isWritten ? JsonText : TextMember
        found.push(new kind(holder, key, textRole, path, about(pending)))
      }
    } else if (typeof value === 'number')
      found.push(new NumberText(holder, key, textRole, path, about(pending)))
    else if (Array.isArray(value)) pushItems(stack, value, pending)
    else if (value !== null) pushMembers(stack, value as JsonObject, pending)
  }
  return found
}

/** An unknown member, if it may be a text. */
const otherText = (pending: PendingValue, value: string): TextMember | undefined => {
  const { holder, key, mode, textRole, path } = pending
  const more = { ...about(pending), isOther: true }
  if (value.startsWith('data:') && value.slice(0, 256).includes(';base64,'))
    return isTextualUrl(value) ? new EncodedText(holder, key, textRole, path, more) : undefined
  if (mode === 'name' ? isWord.test(value) : isBytes(value)) return undefined
  return new TextMember(holder, key, textRole, path, more)
}

/** Texts of tools and schemata, and what tools are asked, go on in no others. */
const about = ({ mode, path, within, echo }: PendingValue): MoreOfText => {
  if (!within || (mode !== 'text' && mode !== 'other' && mode !== 'encoded')) return { echo }
  const name = path.split('/').findLast((step) => step !== '*' && !step.startsWith('#')) ?? ''
  return { echo, line: { ...within, name: mainNames.has(name) ? 'text' : name } }
}

/** What is said has several names, and a part goes on in a message that has none. */
const mainNames: ReadonlySet<string> = new Set([
  ...['text', 'content', 'parts', 'value', 'input', 'output', 'prompt', 'system', 'instructions', 'data'],
  ...[
    'systemInstruction',
    'system_instruction',
    'messages',
    'contents',
    'input_text',
    'output_text',
    'preamble',
  ],
])

/** The names of tools and the like, which refer to one another. */
const isWord = /^[\w./:@-]{1,128}$/

/** What tools are asked and say is JSON in many formats, as a text. */
const isWrittenJson = (text: string, key: string, { scope }: TextRole): boolean => {
  if (scope !== 'toolInput' && scope !== 'toolOutput') return false
  return key === 'arguments' ? beginsAsJson(text) : text.includes('\\') && isJson(text)
}

/** How the inside of a value is searched. */
interface Context {
  readonly mode: Mode
  readonly textRole: TextRole
  readonly path: string
  readonly echo: RepeatedText | undefined
  /** Of which message, once it is in one. */
  readonly within: Omit<TextLine, 'name'> | undefined
}

/** Where a value is that is still to be searched. The last one is the next. */
interface PendingValue extends Context {
  readonly holder: JsonObject
  readonly key: string
  /** It is a member of the outermost object. */
  readonly isOutermost?: boolean
}

const pushItems = (stack: PendingValue[], list: unknown[], pending: PendingValue): void => {
  const { mode, textRole, path, echo, within, isOutermost, key: name } = pending
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
      textRole,
      path: joined(path, step),
      echo,
      within: within && isOutermost ? ofItem(name, i, item, textRole) : within,
    })
  }
}

/** A message has its own speaker, be it among what others say; of choices, each is another conversation. */
const ofItem = (name: string, i: number, item: unknown, around: TextRole): Omit<TextLine, 'name'> => {
  const unit = `${name}/${String(i)}`
  const object = jsonObjectIn(item)
  const speaker = (object ? textRoleOf(object, around) : around).role
  return { unit, speaker, group: alternatives.has(name) ? unit : '' }
}

const alternatives: ReadonlySet<string> = new Set([
  'choices',
  'candidates',
  'documents',
  'results',
  'generations',
])

const pushMembers = (
  stack: PendingValue[],
  object: JsonObject,
  { mode, textRole: around, path, echo: outer, within }: Context,
  view?: TextView,
): void => {
  const names = view ? systemFirst(Object.keys(object)) : Object.keys(object)
  const isPart = !impersonal.has(mode)
  const textRole = isPart ? textRoleOf(object, around) : around
  const echo = repeatedTextIn(object, outer)
  for (let i = names.length - 1; i >= 0; i--) {
    const key = names[i] as string
    const value = object[key]
    if (!isOfInterest(value, 'all')) continue
    if (view?.only && !view.only.has(key)) continue
    const given = view?.modes?.get(key)
    const its = isPart ? textRoleOfMember(key, textRole) : textRole
    const found = given ?? ofMember(mode, object, key, its)
    if (found === undefined || found === 'none' || !isOfInterest(value, found)) continue
    // What tools and answers are to be like is the application's word.
    const who = found === 'tools' && its.scope === 'messages' ? textRoles.system : its
    const line = view && !view.areApart ? { unit: key, speaker: who.role, group: '' } : within
    stack.push({
      holder: object,
      key,
      mode: found,
      textRole: who,
      path: joined(path, key),
      echo,
      within: line,
      isOutermost: view !== undefined,
    })
  }
}

/** What the application says comes before what it is said about, wherever it stands: guards read in this order. */
const systemFirst = (names: string[]): string[] => {
  const first = names.findIndex((name) => systemMembers.has(name))
  if (first <= 0) return names
  return [
    ...names.filter((name) => systemMembers.has(name)),
    ...names.filter((name) => !systemMembers.has(name)),
  ]
}

const systemMembers: ReadonlySet<string> = new Set([
  ...['system', 'systemInstruction', 'system_instruction', 'instructions', 'preamble'],
])

/** Nobody says what is in there but who says the whole. */
const impersonal: ReadonlySet<Mode> = new Set(['all', 'tools', 'schema', 'schemas', 'error'])

/** Numbers are where all is said in JSON, such as by tools. */
const isOfInterest = (value: unknown, mode: Mode): boolean =>
  typeof value === 'string' ||
  (typeof value === 'object' && value !== null) ||
  (mode === 'all' && isLongNumber(value))

const joined = (path: string, step: string): string => (path === '' ? step : `${path}/${step}`)

/** What tells the likelihood of each piece of a text says the text as well. */
export const repeatedTextIn = (object: JsonObject, outer?: RepeatedText): RepeatedText | undefined => {
  if (typeof object.logprobs === 'object' && object.logprobs !== null)
    return { holder: object, key: 'logprobs', outer }
  return jsonObjectIn(object.logprobsResult) ? { holder: object, key: 'logprobsResult', outer } : outer
}

const ofMember = (
  mode: Mode,
  object: JsonObject,
  key: string,
  textRole: TextRole,
): Mode | 'none' | undefined => {
  if (mode === 'all') return mode
  if (mode === 'values') return 'text'
  if (mode === 'error') return modeOfError(key)
  if (mode === 'tools') return modeOfTool(key, object[key])
  if (mode === 'schema') return modeOfSchema(key, object[key])
  if (mode === 'schemas') return typeof object[key] === 'string' ? 'text' : 'schema'
  return mode === 'document' && key === 'bytes' ? 'encoded' : modeOfPart(object, key, textRole)
}
