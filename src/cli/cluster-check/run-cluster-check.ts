import { setTimeout as pause } from 'node:timers/promises'
import { checkCluster, type ClusterCheck } from './check-cluster.ts'
import type { ClusterReport } from './cluster-finding.ts'
import { checkedText, formatClusterReport, numberOf, uncheckedText } from './print-cluster-report.ts'
import { CommandFailure, usageFailure } from '../command-failure.ts'
import { readAdminAccess } from '../gateway/admin-access.ts'
import { parsePort } from '../gateway/parse-port.ts'
import { type ClusterOptions, loadCluster } from '../kubernetes/load-cluster.ts'
import { parseOutputFormat } from '../output/print-data.ts'
import { terminalText } from '../output/terminal-text.ts'

/** Options of `agctl check`. */
export interface ClusterCheckOptions extends ClusterOptions {
  readonly allNamespaces?: boolean
  readonly output: string
  readonly strict?: boolean
  readonly proxies: boolean
  readonly expiresWithin: string
  readonly controllerName: string
  readonly controllerNamespace: string
  readonly controllerAdminPort: string
  readonly proxyAdminPort: string
}

/** What a controller or a proxy is at may take a moment; after this many looks it is a problem. */
const LOOKS = 3
const PAUSE_MS = 2_000

/**
 * `agctl check`: finds what is wrong in a cluster, and prints it.
 *
 * @throws CommandFailure if there are errors; with `strict`, also for warnings and what could not be looked at.
 */
export const runClusterCheck = async (
  options: ClusterCheckOptions,
  args: readonly string[],
): Promise<void> => {
  const format = parseOutputFormat(options.output, 'table')
  const check = await planCheck(options, args)
  let report = await checkCluster(check)
  for (let look = 1; look < LOOKS && report.findings.some(({ isTransient }) => isTransient); look++) {
    await pause(PAUSE_MS)
    report = await checkCluster(check)
  }
  process.stdout.write(await formatClusterReport(report, format))
  if (format === 'table' || format === 'wide') process.stderr.write(terminalText(uncheckedText(report)))
  finish(report, check.namespace, options.strict ?? false)
}

const planCheck = async (options: ClusterCheckOptions, args: readonly string[]): Promise<ClusterCheck> => {
  const { allNamespaces = false, namespace } = options
  if (args.length > 0)
    throw usageFailure(
      `unexpected argument "${args[0] ?? ''}"`,
      'agctl check looks at a cluster; agctl config check FILE at a file.',
    )
  if (allNamespaces && namespace !== undefined)
    throw usageFailure('at most one of --namespace and --all-namespaces may be passed')
  const days = /^\d{1,4}$/.test(options.expiresWithin) ? Number(options.expiresWithin) : undefined
  if (days === undefined)
    throw usageFailure(`invalid --expires-within ${options.expiresWithin}`, 'It is a number of days.')
  const port = parsePort('--proxy-admin-port', options.proxyAdminPort)
  const controllerPort = parsePort('--controller-admin-port', options.controllerAdminPort)
  const cluster = await loadCluster(options)
  return {
    cluster,
    namespace: allNamespaces ? undefined : cluster.namespace,
    controllerName: options.controllerName,
    controller: { namespace: options.controllerNamespace, port: controllerPort },
    proxies: options.proxies ? { access: readAdminAccess(options, port), port } : undefined,
    soonMs: days * DAY_MS,
  }
}

const DAY_MS = 86_400_000

const finish = (report: ClusterReport, namespace: string | undefined, isStrict: boolean): void => {
  const { findings, unchecked } = report
  const where = namespace === undefined ? 'in all namespaces' : `in namespace "${namespace}"`
  const errors = numberOf(findings, 'error')
  const warnings = numberOf(findings, 'warning')
  const text = [
    ...(errors > 0 ? [count(errors, 'error')] : []),
    ...(warnings > 0 ? [count(warnings, 'warning')] : []),
    ...(unchecked.length > 0 ? [`${String(unchecked.length)} not checked`] : []),
  ].join(', ')
  if (errors > 0 || (isStrict && text !== '')) throw new CommandFailure(`${text} ${where}`)
  const objects = checkedText(report)
  const outcome =
    objects === ''
      ? `there are no Gateways and no routes ${where}; -n chooses another namespace, -A all\n`
      : `checked ${objects} ${where}: ${text === '' ? 'no problems found' : text}\n`
  process.stderr.write(terminalText(outcome))
}

const count = (number: number, noun: string): string => `${String(number)} ${noun}${number === 1 ? '' : 's'}`
