import type { LlmCall } from '../llm/llm-call.ts'
import type { McpAttributes } from '../mcp/mcp-attributes.ts'
import type { A2aAttributes } from './a2a-attributes.ts'
import type { LocalReplyFormat } from './local-reply-format.ts'

/** Attributes of the protocol over HTTP that a request belongs to, if a stage has detected one. */
export class ProtocolAttributes {
  /** Of a call to an A2A agent. */
  a2a: A2aAttributes | undefined = undefined
  /** Of a call to a language model: request, provider, usage and outcome. */
  llm: LlmCall | undefined = undefined
  /** Of an MCP request: method, target, tool, prompt or resource, and outcome. */
  mcp: McpAttributes | undefined = undefined
  /** Format of local replies in this protocol; by the request's content type if undefined. */
  localReplyFormat: LocalReplyFormat | undefined = undefined
}
