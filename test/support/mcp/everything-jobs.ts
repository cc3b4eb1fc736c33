import { setTimeout as delay } from 'node:timers/promises'
import type { JsonObject } from '../../../src/protocols/json-rpc/message.ts'
import { textOrEmpty, elicit, filledIn } from './everything-input-tools.ts'
import {
  type InputResponses,
  FixtureError,
  type FixtureRequest,
  type InputRequest,
} from './fixture-request.ts'
import { text, tool } from './fixture-tool.ts'

/** Work that may continue after the response of its call. */
export type Job = (work: Work) => Promise<JsonObject>

/** The context of continued work. */
export interface Work {
  readonly signal: AbortSignal
  readonly ask: (unsolicited: Record<string, InputRequest>) => InputResponses | Promise<InputResponses>
}

/** A tool whose calls may become tasks. */
export interface JobTool {
  readonly name: string
  /** Tasks are required. */
  readonly required: boolean
  /** The part of the work before it becomes a task. */
  readonly prepare: (request: FixtureRequest) => Job | Promise<Job>
}

/** The duration of a second of work: the suite waits for some of them. */
const SECOND_MS = 50

/** Without tasks, the suite waits for the longest of them. */
const LONGEST_S = 20

const pause = (seconds: number, { signal }: Work) =>
  delay(Math.min(seconds, LONGEST_S) * SECOND_MS, undefined, { signal })

const job = (name: string, prepare: JobTool['prepare'], required = false): JobTool => ({
  name,
  prepare,
  required,
})

const ok = { ok: { type: 'boolean' } }

/** The tools whose calls become tasks in the suite. */
export const everythingJobs: readonly JobTool[] = [
  job('slow_compute', ({ args }) => async (work) => {
    await pause(Number(args.seconds ?? 1), work)
    return text(`Computed ${textOrEmpty(args.label)}`)
  }),
  job(
    'failing_job',
    () => async (work) => {
      await pause(1, work)
      return { ...text('The job failed'), isError: true }
    },
    true,
  ),
  job('protocol_error_job', () => async (work) => {
    await pause(1, work)
    throw new FixtureError(-32603, 'The job broke')
  }),
  job('confirm_delete', ({ args }) => async ({ ask }) => {
    const { confirm } = await ask({ confirm: elicit(`Delete ${textOrEmpty(args.filename)}?`, ok) })
    return text(`Answered: ${textOrEmpty(confirm?.action)}`)
  }),
  job('multi_input', () => async ({ ask }) => {
    const answers = await ask({ one: elicit('One?', ok), two: elicit('Two?', ok) })
    return text(
      Object.values(answers)
        .map(({ action }) => textOrEmpty(action))
        .join(', '),
    )
  }),
  job(
    'test_tool_with_task',
    async ({ requestInput: ask }) => {
      const answers = await ask({ user_name: elicit('What is your name?', { name: { type: 'string' } }) })
      const name = filledIn(answers.user_name, 'name')
      return async (work) => {
        await pause(1, work)
        return text(`Hello, ${name}!`)
      }
    },
    true,
  ),
]

/** The same as tools that respond when they are done. */
export const jobTools = [
  tool('greet', 'Greets, at once', ({ args }) => text(`Hello, ${textOrEmpty(args.name)}!`)),
  ...everythingJobs.map(({ name, prepare }) =>
    tool(name, 'May become a task', async (request) => {
      const run = await prepare(request)
      return await run({ signal: new AbortController().signal, ask: request.requestInput })
    }),
  ),
]
