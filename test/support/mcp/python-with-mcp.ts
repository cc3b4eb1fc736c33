import { command } from '../command.ts'
import { findProgram } from '../find-program.ts'

/** A Python with the official SDK, if there is one: `MCP_PYTHON` has its path. */
export const pythonWithMcp = async (): Promise<string | undefined> => {
  for (const program of [process.env.MCP_PYTHON, findProgram('python3')]) {
    if (program === undefined) continue
    const { status } = await command(program, ['-c', 'from mcp import Client'])
    if (status === 0) return program
  }
  return undefined
}
