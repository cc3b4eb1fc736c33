/**
 * Imported by a daemon under test: reports to its parent, on request, the files under `src/` that ran a function since
 * the last request.
 */
import { type Profiler, Session } from 'node:inspector'

const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false })

const ran = ({ functions }: Profiler.ScriptCoverage): boolean =>
  functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0)

process.on('message', () => {
  session.post('Profiler.takePreciseCoverage', (_error, { result }) => {
    const files = result.filter((script) => script.url.includes('/src/') && ran(script))
    process.send?.(files.map(({ url }) => url.slice(url.indexOf('/src/') + 1)).sort())
  })
})
process.channel?.unref()
