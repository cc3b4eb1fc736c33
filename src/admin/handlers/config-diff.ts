import type { ChangedResource, ResourceName } from '../../config/diff/config-diff.ts'
import { replyQuoting, replyText, type AdminEndpoint } from '../endpoint.ts'
import { type ProcessReport, readReport } from '../process-report.ts'
import type { FailedReload, LastReload, ReloadsReport } from '../reports/reloads-report.ts'

/**
 * `GET /debug/config/diff`: what the last reload changed, and the last reload that was refused, with its error. Old and
 * new values are shown as in `/config_dump`, without secrets.
 */
export const configDiffEndpoint = (reloads: ProcessReport<ReloadsReport>): AdminEndpoint => ({
  path: '/debug/config/diff',
  methods: ['GET', 'HEAD'],
  summary: 'what the last reload changed, and why the last failed one did not',
  group: 'configuration',
  parameters: [{ name: 'format', summary: 'json by default', values: ['json', 'text'] }],
  handle: async ({ res, query }) => {
    const report = await readReport(reloads)
    const headers = { 'cache-control': 'no-store' }
    if (query.get('format') === 'text') replyQuoting(res, 200, `${[...lines(report)].join('\n')}\n`, headers)
    else {
      const { inForce, lastReload = null, lastFailure = null } = report
      const json = JSON.stringify({ inForce, lastReload, lastFailure }, null, 2)
      replyText(res, 200, `${json}\n`, { ...headers, 'content-type': 'application/json' })
    }
  },
})

function* lines({ inForce, lastReload, lastFailure }: ReloadsReport): Generator<string> {
  for (const { hash, file, since, processes } of inForce)
    yield `in force: ${hash} of ${file}, since ${since}${processes > 1 ? `, in ${processes} processes` : ''}`
  yield ''
  if (lastReload) yield* reloadLines(lastReload)
  else yield 'no reload since the start'
  if (lastFailure) yield* failureLines(lastFailure)
}

function* reloadLines({
  at,
  file,
  oldHash,
  newHash,
  restartRequired,
  changes,
}: LastReload): Generator<string> {
  const { added, removed, changed, omitted } = changes
  yield `last reload: ${at}, of ${file}, ${oldHash} to ${newHash}`
  yield `${added.length} added, ${removed.length} removed, ${changed.length} changed${more(omitted)}`
  for (const one of added) yield `+ ${titleOf(one)}`
  for (const one of removed) yield `- ${titleOf(one)}`
  for (const one of changed) yield* changedLines(one)
  if (restartRequired.length > 0) yield `needs a restart: ${restartRequired.join(', ')}`
}

function* changedLines(resource: ChangedResource): Generator<string> {
  yield `~ ${titleOf(resource)}`
  for (const { path, old = 'absent', new: current = 'absent' } of resource.fields)
    yield `    ${path === '' ? 'value' : path}: ${old} → ${current}`
  if (resource.omittedFields > 0) yield `    and ${resource.omittedFields} more fields`
}

function* failureLines({ at, file, error }: FailedReload): Generator<string> {
  yield ''
  yield `last failed reload: ${at}, of ${file}`
  for (const line of error.split('\n')) yield `    ${line}`
}

const titleOf = ({ kind, name }: ResourceName): string => `${kind} ${name}`

const more = (omitted: number): string => (omitted === 0 ? '' : `, and ${omitted} more`)
