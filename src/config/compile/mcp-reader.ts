import type { Workshop } from './workshop.ts'

/** A workshop that takes down whether anything that was made in it reads what an MCP client asks for. */
export interface McpReader {
  readonly workshop: Workshop
  readonly readsMcp: () => boolean
}

/** Makes one out of another. Whatever kind of policy has expressions in it: all of them are made here. */
export const mcpReader = (workshop: Workshop): McpReader => {
  let readsMcp = false
  return {
    workshop: {
      ...workshop,
      expression: (text) => {
        const evaluate = workshop.expression(text)
        readsMcp ||= evaluate.readsMcp === true
        return evaluate
      },
    },
    readsMcp: () => readsMcp,
  }
}
