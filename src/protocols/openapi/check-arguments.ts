import { ArgumentCheck } from './argument-check.ts'
import type { OpenApiTool } from './open-api-tool.ts'

/** Compares arguments with the schema of their tool; a text says what is wrong with them. */
export const checkArguments = (tool: OpenApiTool, args: unknown): string | undefined => {
  let check = checks.get(tool)
  if (!check) checks.set(tool, (check = new ArgumentCheck(tool.inputSchema)))
  return check.problemIn(args)
}

/** Compiling takes milliseconds, so that only what is called is compiled. */
const checks = new WeakMap<OpenApiTool, ArgumentCheck>()
