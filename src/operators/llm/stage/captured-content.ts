import type { Needs } from '../../cel/needs.ts'

/**
 * What the expressions of a configuration read of conversations with language models. Known once all of them have been
 * compiled: nothing is kept of a conversation that none of them reads.
 */
export class LlmReads {
  prompt = false
  reply = false

  note({ fields }: Needs): void {
    const reads = (field: string): boolean => fields.has(`llm.${field}`) || fields.has('llm.*')
    this.prompt ||= reads('prompt')
    this.reply ||= reads('completion') || reads('toolCalls')
  }
}
