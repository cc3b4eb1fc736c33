import { parseConfigDump } from '../dump/parse-config-dump.ts'
import { dumpMembers, dumpText } from '../dump/json-access.ts'
import { forEachTarget } from '../gateway/for-each-target.ts'
import type { GatewaySelection } from '../gateway/gateway-options.ts'
import { terminalJson, terminalText } from '../output/terminal-text.ts'
import { buildInfo } from '../../version.ts'

/** Options of `agctl version`. */
export interface VersionOptions extends GatewaySelection {
  readonly short?: boolean
}

/** `agctl version`: the version of this program, and of the gateways that options and argument name. */
export const printVersion = async (options: VersionOptions, resource: string | undefined): Promise<void> => {
  const { short = false } = options
  const hasTarget = resource !== undefined || options.local === true || options.adminUrl !== undefined
  if (!hasTarget) {
    print(short ? buildInfo.version : JSON.stringify(buildInfo))
    return
  }
  const gateways: Record<string, unknown> = {}
  const { gatewayTargets } = await import('../gateway/gateway-targets.ts')
  const targets = await gatewayTargets(options, resource)
  try {
    await forEachTarget(targets, async (target) => {
      gateways[target.name] = await target.withAdmin(async (admin) => {
        const text = await admin.readText({ path: '/config_dump' })
        return (await parseConfigDump(text, `the response of ${target.name}`)).version
      })
    })
  } finally {
    // Those that responded, if others did not.
    if (Object.keys(gateways).length > 0) printGateways(gateways, short)
  }
}

const printGateways = (gateways: Readonly<Record<string, unknown>>, isShort: boolean): void => {
  if (!isShort) {
    print(terminalJson(JSON.stringify({ ...buildInfo, gateways })))
    return
  }
  print(`agctl ${buildInfo.version}`)
  for (const [name, version] of Object.entries(gateways))
    print(terminalText(`${name} ${dumpText(dumpMembers(version).version) || 'unknown'}`))
}

const print = (line: string): void => {
  process.stdout.write(`${line}\n`)
}
