import { createReadStream } from 'node:fs'
import type { DumpMembers } from './json-access.ts'
import { parseConfigDump } from './parse-config-dump.ts'
import { CommandFailure, usageFailure } from '../command-failure.ts'
import type { GatewaySelection } from '../gateway/gateway-options.ts'

/** Reads the dump of a file, of standard input (`-`), or of the gateway that options and argument name. */
export const readConfigDump = async (
  options: GatewaySelection & { readonly file?: string },
  resource: string | undefined,
): Promise<DumpMembers> => {
  const { file } = options
  if (file === undefined) return dumpOfGateway(options, resource)
  if (resource !== undefined) throw usageFailure('at most one of --file or resource name may be passed')
  if (options.local || options.adminUrl !== undefined)
    throw usageFailure('at most one of --file, --local and --admin-url may be passed')
  const text = await readAll(file)
  return parseConfigDump(text, file === '-' ? 'standard input' : file)
}

const dumpOfGateway = async (
  options: GatewaySelection,
  resource: string | undefined,
): Promise<DumpMembers> => {
  const { gatewayTarget } = await import('../gateway/gateway-targets.ts')
  const target = await gatewayTarget(options, resource)
  return target.withAdmin(async (admin) =>
    parseConfigDump(await admin.readText({ path: '/config_dump' }), `the response of ${target.name}`),
  )
}

/** Dumps of large configurations have some megabytes. */
const limitBytes = 256 * 1024 * 1024

const readAll = async (file: string): Promise<string> => {
  const chunks: Buffer[] = []
  let size = 0
  try {
    const source = file === '-' ? process.stdin : createReadStream(file)
    for await (const chunk of source as AsyncIterable<Buffer>) {
      size += chunk.length
      if (size > limitBytes) throw new Error(`it is longer than ${String(limitBytes)} bytes`)
      chunks.push(chunk)
    }
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new CommandFailure(`failed to read config dump file ${file}: ${reason}`, { cause: error })
  }
  return Buffer.concat(chunks).toString('utf8')
}
