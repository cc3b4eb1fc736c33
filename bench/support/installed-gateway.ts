import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { temporaryFolder } from './temporary-folder.ts'

/** The program of the package, on a configuration with a gateway `default`. */
export interface InstalledGateway {
  readonly pid: number
  readonly port: number
  stop(): Promise<void>
}

/** Starts the program that `npm run build` has made, as it is: without probes. */
export const startInstalled = async (
  text: string,
  env: Readonly<Record<string, string>> = {},
): Promise<InstalledGateway> => {
  const program = 'dist/programs/agentgateway.js'
  if (!existsSync(program)) throw new Error(`there is no ${program}: npm run build`)
  const file = join(temporaryFolder(), 'gateway.yaml')
  writeFileSync(file, text)
  const child = spawn(process.execPath, [program, '-f', file], {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  let output = ''
  for await (const part of child.stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    output += String(part)
    if (/^ready$/m.test(output)) break
  }
  child.stdout.resume()
  const [, port] = /default listens on http:\/\/\S+:(\d+)/.exec(output) ?? []
  if (port === undefined) throw new Error(`the gateway does not listen: ${output}`)
  return {
    pid: child.pid as number,
    port: Number(port),
    async stop() {
      child.kill('SIGKILL')
      await ended
    },
  }
}
