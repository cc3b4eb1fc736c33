import type { LlmPrompt, LlmPrompts } from '../../model/llm/llm-backend.ts'
import { jsonObjectIn } from '../json/json-object.ts'
import type { ChatFormat } from './format.ts'
import type { Members } from './members/members.ts'

/**
 * Adds prompts before and after the messages of a client. For Anthropic, Gemini and Bedrock, system prompts go into the
 * system field.
 */
export const addPrompts = (format: ChatFormat, body: Members, { prepend, append }: LlmPrompts): void => {
  adders[format](body, prepend, append)
}

type Add = (body: Members, prepend: readonly LlmPrompt[], append: readonly LlmPrompt[]) => void

const around = (
  body: Members,
  field: string,
  prepend: readonly LlmPrompt[],
  append: readonly LlmPrompt[],
  write: (prompt: LlmPrompt) => unknown,
): void => {
  const before = prepend.map(write)
  const after = append.map(write)
  const existing: unknown = body.get(field)
  // A value that is not a list is the client's error; the provider refuses it.
  if (existing !== undefined && !Array.isArray(existing)) return
  if (before.length || after.length)
    body.set(field, [...before, ...((existing as unknown[] | undefined) ?? []), ...after])
}

const isSystem = ({ role }: LlmPrompt): boolean => role === 'system' || role === 'developer'
const isTalk = (prompt: LlmPrompt): boolean => !isSystem(prompt)

/** The texts of the system prompts, for formats whose system field gets them. */
const systemTexts = (prompts: readonly LlmPrompt[]) => prompts.filter(isSystem).map(({ content }) => content)

const adders: Readonly<Record<ChatFormat, Add>> = {
  completions: (body, prepend, append) => {
    around(body, 'messages', prepend, append, ({ role, content }) => ({ role, content }))
  },
  messages: (body, prepend, append) => {
    around(body, 'messages', prepend.filter(isTalk), append.filter(isTalk), ({ role, content }) => ({
      role,
      content,
    }))
    addBlocks(body, 'system', systemTexts(prepend), systemTexts(append), (text) => ({ type: 'text', text }))
  },
  responses: (body, prepend, append) => {
    const input: unknown = body.get('input')
    if (typeof input === 'string') body.set('input', [{ type: 'message', role: 'user', content: input }])
    around(body, 'input', prepend, append, ({ role, content }) => ({ type: 'message', role, content }))
  },
  generateContent: (body, prepend, append) => {
    const write = ({ role, content }: LlmPrompt) => ({
      role: role === 'assistant' ? 'model' : role,
      parts: [{ text: content }],
    })
    around(body, 'contents', prepend.filter(isTalk), append.filter(isTalk), write)
    const [before, after] = [systemTexts(prepend), systemTexts(append)]
    if (before.length + after.length === 0) return
    const field = body.has('system_instruction') ? 'system_instruction' : 'systemInstruction'
    const existing = jsonObjectIn(body.get(field))
    const parts = existing?.parts
    const kept: readonly unknown[] = Array.isArray(parts) ? parts : []
    body.set(field, { ...existing, parts: [...before.map(asPart), ...kept, ...after.map(asPart)] })
  },
  converse: (body, prepend, append) => {
    const write = ({ role, content }: LlmPrompt) => ({ role, content: [asPart(content)] })
    around(body, 'messages', prepend.filter(isTalk), append.filter(isTalk), write)
    addBlocks(body, 'system', systemTexts(prepend), systemTexts(append), asPart)
  },
}

const asPart = (text: string) => ({ text })

const addBlocks = (
  body: Members,
  field: string,
  before: readonly string[],
  after: readonly string[],
  write: (text: string) => unknown,
): void => {
  if (before.length + after.length === 0) return
  const existing: unknown = body.get(field)
  const kept: readonly unknown[] =
    typeof existing === 'string' ? [write(existing)] : Array.isArray(existing) ? existing : []
  body.set(field, [...before.map(write), ...kept, ...after.map(write)])
}
