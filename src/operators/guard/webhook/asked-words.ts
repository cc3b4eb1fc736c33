import type { GuardedText, GuardPhase } from '../guard.ts'

/** What a webhook is sent: the texts in question, and nothing else of the conversation. */
export const askedWords = (phase: GuardPhase, texts: readonly GuardedText[]): Buffer => {
  const messages = texts.map(({ role, text }) => ({ role, content: text }))
  const body = phase === 'request' ? { messages } : { choices: messages.map((message) => ({ message })) }
  return Buffer.from(JSON.stringify({ body }))
}
