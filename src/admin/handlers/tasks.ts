import type { Redaction } from '../../model/trace/redact.ts'
import type { AdminEndpoint } from '../endpoint.ts'
import { jsonParts } from '../json-chunks.ts'
import { type ProcessReport, readReport } from '../process-report.ts'
import { sendInSlices } from '../send-in-slices.ts'
import type { TaskTrees } from '../tasks/task-node.ts'
import { taskText } from '../tasks/task-text.ts'
import { coalesced } from '../coalesced.ts'
import { inSlices } from '../../model/event-loop/time-slicing.ts'

/** `GET /debug/tasks[?format=json|text]`: what the gateway does at this moment, as a tree. */
export const tasksEndpoint = (report: ProcessReport<TaskTrees>, redaction: Redaction): AdminEndpoint => {
  // Concurrent callers share a report and its text: making it takes a hundred times as long as sending it.
  const json = coalesced(() => textOf(report, (trees) => jsonParts(trees, redaction)))
  const text = coalesced(() => textOf(report, taskText))
  return {
    path: '/debug/tasks',
    methods: ['GET', 'HEAD'],
    summary: 'what is under way: connections, requests and where they are, callouts, MCP sessions',
    group: 'process',
    parameters: [
      { name: 'format', summary: 'default json, or what Accept prefers', values: ['json', 'text'] },
    ],
    handle: async (call) => {
      const { query, req } = call
      const isText = (query.get('format') ?? preferred(req.headers.accept)) === 'text'
      const type = isText ? 'text/plain;charset=utf-8' : 'application/json'
      await sendInSlices(call, type, req.method === 'HEAD' ? [] : await (isText ? text() : json()))
    },
  }
}

/** The text of a report in parts that are sent one at a time. */
const textOf = async (
  report: ProcessReport<TaskTrees>,
  partsOf: (trees: TaskTrees) => Iterable<string>,
): Promise<readonly Buffer[]> => {
  const trees = await readReport(report)
  const parts: Buffer[] = []
  for await (const part of inSlices(partsOf(trees))) parts.push(Buffer.from(part))
  return parts
}

/** The format that an `Accept` field prefers; JSON if it accepts both alike. */
const preferred = (accept: string | undefined): 'json' | 'text' =>
  weightOf(accept, 'text/plain') > weightOf(accept, 'application/json') ? 'text' : 'json'

const weightOf = (accept: string | undefined, type: string): number => {
  for (const range of (accept ?? '').split(',')) {
    const [name, ...parameters] = range.split(';').map((part) => part.trim().toLowerCase())
    if (name !== type) continue
    const weight = parameters.find((parameter) => parameter.startsWith('q='))
    return weight === undefined ? 1 : Number(weight.slice(2)) || 0
  }
  return 0
}
