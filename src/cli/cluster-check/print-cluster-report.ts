import { type ClusterFinding, type ClusterReport, objectText } from './cluster-finding.ts'
import { formatData, type OutputFormat } from '../output/print-data.ts'
import { formatTable } from '../output/table.ts'

/** A report as a table, or as data with the same fields. */
export const formatClusterReport = async (
  { findings, unchecked, checked }: ClusterReport,
  format: OutputFormat,
): Promise<string> => {
  if (format === 'json' || format === 'yaml') {
    const printed = findings.map(({ severity, kind, namespace, name, part, reason, message }) => ({
      severity,
      kind,
      ...(namespace !== undefined && { namespace }),
      name,
      ...(part !== undefined && { part }),
      reason,
      message,
    }))
    const numbers = { errors: numberOf(findings, 'error'), warnings: numberOf(findings, 'warning') }
    return await formatData({ ...numbers, findings: printed, unchecked, checked }, format)
  }
  return findings.length === 0 ? '' : formatTable(columns, findings)
}

/** Number of findings of a severity. */
export const numberOf = (findings: readonly ClusterFinding[], severity: ClusterFinding['severity']): number =>
  findings.filter((one) => one.severity === severity).length

const columns = [
  { title: 'SEVERITY', text: ({ severity }: ClusterFinding) => severity },
  { title: 'OBJECT', text: objectText },
  { title: 'PART', text: ({ part = '' }: ClusterFinding) => part },
  { title: 'REASON', text: ({ reason }: ClusterFinding) => reason },
  { title: 'MESSAGE', text: ({ message }: ClusterFinding) => message },
]

/** What could not be looked at, a line for each reason. */
export const uncheckedText = ({ unchecked }: ClusterReport): string =>
  Array.from(
    Map.groupBy(unchecked, ({ reason }) => reason),
    ([reason, all]) => `not checked: ${all.map(({ subject }) => subject).join(', ')}: ${reason}\n`,
  ).join('')

/** `2 Gateways, 1 HTTPRoute, 3 proxies`. */
export const checkedText = ({ checked }: ClusterReport): string =>
  Object.entries(checked)
    .filter(([, number]) => number > 0)
    .map(([kind, number]) => counted(number, kind))
    .join(', ')

const counted = (number: number, kind: string): string => {
  if (kind === 'Pod') return number === 1 ? '1 proxy' : `${String(number)} proxies`
  const plural = kind.endsWith('y') ? `${kind.slice(0, -1)}ies` : `${kind}s`
  return `${String(number)} ${number === 1 ? kind : plural}`
}
