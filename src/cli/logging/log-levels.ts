import { controllerLevels, type LevelOptions, proxyLevels, readLevels } from './level-query.ts'
import { CommandFailure, usageFailure } from '../command-failure.ts'
import { forEachTarget } from '../gateway/for-each-target.ts'
import type { GatewaySelection } from '../gateway/gateway-options.ts'
import type { GatewayTarget } from '../gateway/gateway-target.ts'
import { gatewayTargets } from '../gateway/gateway-targets.ts'
import { terminalText } from '../output/terminal-text.ts'
import { parsePort } from '../gateway/parse-port.ts'
import type { PodOptions } from '../kubernetes/pod-targets.ts'

/** `agctl proxy log`: shows or sets the log levels of a gateway, in all of its pods. */
export const proxyLog = async (
  options: GatewaySelection & LevelOptions & { readonly reset?: boolean },
  args: readonly string[],
): Promise<void> => {
  if (args.length > 1) throw usageFailure(`accepts at most 1 arg(s), received ${String(args.length)}`)
  const { level, byName } = readLevels(options, proxyLevels, 'module')
  const directive = level ?? byName.map((pair) => pair.join('=')).join(',')
  const query = new URLSearchParams({
    ...(options.reset && { reset: 'true' }),
    ...(directive !== '' && { level: directive }),
  }).toString()
  await postAll(
    await gatewayTargets(options, args[0]),
    `/logging${query === '' ? '' : `?${query}`}`,
    (text) => text.startsWith('current log level is '),
  )
}

/** `agctl controller log`: shows or sets the log levels of the controller, in all of its pods. */
export const controllerLog = async (
  options: PodOptions & LevelOptions & { readonly controllerAdminPort: string },
): Promise<void> => {
  const { level, byName } = readLevels(options, controllerLevels, 'component')
  const port = parsePort('--controller-admin-port', options.controllerAdminPort)
  const pairs = level === undefined ? byName : [['level', level] as const]
  const query = pairs.map((pair) => pair.map(encodeURIComponent).join('=')).join('&')
  const { controllerTargets } = await import('../kubernetes/pod-targets.ts')
  await postAll(await controllerTargets(options, port), `/logging${query === '' ? '' : `?${query}`}`)
}

/** Calls all, even if some fail: a level should not differ between pods for longer than necessary. */
const postAll = (
  targets: readonly GatewayTarget[],
  path: string,
  isReply: (text: string) => boolean = () => true,
): Promise<void> =>
  forEachTarget(targets, async (target) => {
    const text = terminalText(
      await target.withAdmin((admin) => admin.readText({ method: 'POST', path }, 1024 * 1024)),
    )
    if (!isReply(text))
      throw new CommandFailure(`${target.name} did not reply with log levels`, {
        hint: 'Is it the admin server of a gateway? -p chooses another port.',
      })
    if (targets.length > 1) process.stdout.write(`${target.name}:\n`)
    process.stdout.write(text.endsWith('\n') ? text : `${text}\n`)
  })
