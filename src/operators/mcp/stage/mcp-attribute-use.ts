import type { CompileContext } from '../../../config/compile/compile-context.ts'

/** A compile context that records whether any of its expressions reads `mcp`. */
export interface McpReader {
  readonly context: CompileContext
  readonly readsMcp: () => boolean
}

/**
 * Wraps a compile context, so that the expressions of every kind of policy are recorded.
 *
 * @param isMcp Whether messages can be parsed before policies that read them.
 */
export const mcpReader = (context: CompileContext, isMcp: boolean): McpReader => {
  let readsMcp = false
  return {
    context: {
      ...context,
      mcpIsKnown: isMcp,
      expression: (text) => {
        const evaluate = context.expression(text)
        readsMcp ||= evaluate.readsMcp === true
        return evaluate
      },
    },
    readsMcp: () => readsMcp,
  }
}
