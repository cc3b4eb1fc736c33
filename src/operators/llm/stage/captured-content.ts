import type { AttributeReferences } from '../../../cel/engine/attribute-references.ts'

/**
 * Records which parts of conversations the expressions of a configuration read. Complete once all of them are compiled:
 * parts that none of them reads are not captured.
 */
export class LlmContentReads {
  prompt = false
  reply = false

  add({ fields }: AttributeReferences): void {
    const reads = (field: string): boolean => fields.has(`llm.${field}`) || fields.has('llm.*')
    this.prompt ||= reads('prompt')
    this.reply ||= reads('completion') || reads('toolCalls')
  }

  /** Adds what other expressions read. */
  join({ prompt, reply }: Readonly<LlmContentReads>): void {
    this.prompt ||= prompt
    this.reply ||= reply
  }
}
