import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, resolve } from 'node:path'
import type { McpStdio } from '../../model/mcp.ts'

/** What to run, and in which environment. */
export interface StdioCommand {
  /** Undefined if there is no such command. */
  readonly file: string | undefined
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * The environment of a server is that of the gateway, with the variables of the configuration added; with `clearEnv` it is
 * those variables and nothing else. Its command is looked up in the `PATH` that the configuration gives it, else in the
 * gateway's, also with `clearEnv`: where a program is found is the gateway's business, what it sees is not. `node` is always
 * there: where no `PATH` has one, as in an image that holds nothing else, it is the one that runs the gateway.
 *
 * @param own The environment of the gateway.
 */
export const stdioCommand = (
  stdio: McpStdio,
  own: Readonly<Record<string, string | undefined>>,
): StdioCommand => ({
  file: stdio.command.includes('/')
    ? stdio.command
    : (find(stdio.command, stdio.env.PATH ?? own.PATH ?? '') ??
      (stdio.command === 'node' ? process.execPath : undefined)),
  env: stdio.clearEnv ? stdio.env : { ...own, ...stdio.env },
})

const find = (command: string, path: string): string | undefined =>
  path
    .split(delimiter)
    .map((folder) => resolve(folder, command))
    .find((file) => isProgram(file))

const isProgram = (file: string): boolean => {
  try {
    accessSync(file, constants.X_OK)
    return statSync(file).isFile()
  } catch {
    return false
  }
}
