import type { Message } from '../json-rpc/message.ts'
import { type Parsed, parseMessages } from '../json-rpc/parse.ts'
import { misspelledMember } from './member-names.ts'

/**
 * Parses messages of MCP clients and servers, more strictly than JSON-RPC: only `notifications/…` may have no id, since
 * rules, guardrails and limits decide about requests, and some servers execute anything with a method; and no member
 * name may differ from a known one in letter case only.
 */
export const parseMcpMessages = (bytes: Uint8Array | string): Parsed => parseMessages(bytes, problemIn)

const problemIn = (message: Message): string | undefined => {
  if ('method' in message && !('id' in message) && !message.method.startsWith('notifications/'))
    return `only notifications/… may come without an id, not ${JSON.stringify(message.method.slice(0, 64))}`
  return misspelledMember(message)
}
