import type { AttributeReferences } from '../../../cel/engine/attribute-references.ts'

/**
 * What the expressions of a configuration read of conversations with language models. Known once all of them have been
 * compiled: nothing is kept of a conversation that none of them reads.
 */
export class LlmContentReads {
  prompt = false
  reply = false

  add({ fields }: AttributeReferences): void {
    const reads = (field: string): boolean => fields.has(`llm.${field}`) || fields.has('llm.*')
    this.prompt ||= reads('prompt')
    this.reply ||= reads('completion') || reads('toolCalls')
  }
}
