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
  /** How the object is searched; default: as parts. */
  readonly mode?: Mode
  /** The only members that are searched. */
  readonly only?: ReadonlySet<string>
  /** Modes of members that differ from those of their names. `none`: not searched. */
  readonly modes?: ReadonlyMap<string, Mode | 'none'>
  /** A member beside the object that repeats its texts. */
  readonly echo?: RepeatedText | undefined
  /** The texts are pieces of longer ones: their format cannot be detected from one piece. */
  readonly arePieces?: boolean
  /** The texts are independent of each other, such as inputs of embeddings. */
  readonly areApart?: boolean
}

/**
 * Finds the texts in a JSON object, in the order of the body. Values of unexpected types are skipped. Names of members
 * are not texts.
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

/** Texts of tools and schemas, and tool arguments, are not continued by other texts. */
const about = ({ mode, path, within, echo }: PendingValue): MoreOfText => {
  if (!within || (mode !== 'text' && mode !== 'other' && mode !== 'encoded')) return { echo }
  const name = path.split('/').findLast((step) => step !== '*' && !step.startsWith('#')) ?? ''
  return { echo, line: { ...within, name: mainNames.has(name) ? 'text' : name } }
}

/** Names of the main text of a message: a text under one of them may continue one under another. */
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

/** Identifiers, such as names of tools. */
const isWord = /^[\w./:@-]{1,128}$/

/** Inputs and outputs of tools are JSON in a string in many formats. */
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
  /** The message that contains the value, if any. */
  readonly within: Omit<TextLine, 'name'> | undefined
}

/** A value that is still to be searched. The last one of the stack is next. */
interface PendingValue extends Context {
  readonly holder: JsonObject
  readonly key: string
  /** Whether it is a member of the outermost object. */
  readonly isOutermost?: boolean
}

const pushItems = (stack: PendingValue[], list: unknown[], pending: PendingValue): void => {
  const { mode, textRole, path, echo, within, isOutermost, key: name } = pending
  // Lists of numbers, such as vectors and token ids, may be long.
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

/** Each message has its own role, and each of several choices is a group. */
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
    // Definitions of tools and output formats come from the application.
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

/** Puts system prompts first, wherever they are in the body: guards read in this order. */
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

/** Inside of these, a member does not change the role. */
const impersonal: ReadonlySet<Mode> = new Set(['all', 'tools', 'schema', 'schemas', 'error'])

/** Numbers count only in values that are all text, such as tool arguments. */
const isOfInterest = (value: unknown, mode: Mode): boolean =>
  typeof value === 'string' ||
  (typeof value === 'object' && value !== null) ||
  (mode === 'all' && isLongNumber(value))

const joined = (path: string, step: string): string => (path === '' ? step : `${path}/${step}`)

/** Log probabilities repeat the text token by token. */
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
