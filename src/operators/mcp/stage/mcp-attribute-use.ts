import type { CompileContext } from '../../../config/compile/compile-context.ts'

/** A compile context that takes down whether anything that was made in it reads what an MCP client asks for. */
export interface McpReader {
  readonly context: CompileContext
  readonly readsMcp: () => boolean
}

/**
 * Makes one out of another. Whatever kind of policy has expressions in it: all of them are made here.
 *
 * @param isMcp Whether messages are read before the policies if one of these asks for it.
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
