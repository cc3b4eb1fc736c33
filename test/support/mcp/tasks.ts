import { randomUUID } from 'node:crypto'
import type { JsonObject } from '../../../src/protocols/json-rpc/message.ts'
import type { Job } from './everything-jobs.ts'
import { type InputResponses, FixtureError, type InputRequest } from './fixture-request.ts'

interface Task {
  readonly abort: AbortController
  readonly createdAt: string
  lastUpdatedAt: string
  status: 'working' | 'input_required' | 'completed' | 'failed' | 'cancelled'
  /** The result, or the error. */
  end: JsonObject
  waiting: Record<string, InputRequest>
  readonly answers: InputResponses
  go: () => void
}

/** Tasks of the fixture, by the extension `io.modelcontextprotocol/tasks`. */
export class Tasks {
  readonly #tasks = new Map<string, Task>()

  /** Starts a job, and returns the immediate result of the call. */
  start(job: Job): JsonObject {
    const id = randomUUID()
    const now = new Date().toISOString()
    const task: Task = {
      abort: new AbortController(),
      createdAt: now,
      lastUpdatedAt: now,
      status: 'working',
      end: {},
      waiting: {},
      answers: {},
      go: () => undefined,
    }
    this.#tasks.set(id, task)
    const ended = (status: Task['status'], end: JsonObject) => {
      if (task.status !== 'cancelled')
        Object.assign(task, { status, end, lastUpdatedAt: new Date().toISOString() })
    }
    job({ signal: task.abort.signal, ask: (unsolicited) => ask(task, unsolicited) }).then(
      (result) => {
        ended('completed', { result: { resultType: 'complete', ...result } })
      },
      (error: unknown) => {
        const code = error instanceof FixtureError ? error.code : -32603
        ended('failed', { error: { code, message: String(error) } })
      },
    )
    return { resultType: 'task', ...shape(id, task) }
  }

  answer(method: 'tasks/get' | 'tasks/update' | 'tasks/cancel', params: JsonObject): JsonObject {
    const id = String(params.taskId)
    const task = this.#tasks.get(id)
    if (task === undefined) throw new FixtureError(-32602, 'Unknown task')
    if (method === 'tasks/get') {
      const asking = task.status === 'input_required' ? { inputRequests: task.waiting } : {}
      return { ...shape(id, task), ...task.end, ...asking }
    }
    if (method === 'tasks/cancel') cancel(task)
    else update(task, (params.inputResponses ?? {}) as InputResponses)
    return {}
  }
}

const shape = (taskId: string, { status, createdAt, lastUpdatedAt }: Task) => ({
  taskId,
  status,
  createdAt,
  lastUpdatedAt,
  ttlMs: 60_000,
  pollIntervalMs: 50,
})

const ask = (task: Task, unsolicited: Record<string, InputRequest>): Promise<InputResponses> => {
  task.status = 'input_required'
  task.waiting = { ...unsolicited }
  return new Promise((resolve) => {
    task.go = () => {
      resolve(task.answers)
    }
  })
}

const update = (task: Task, responses: InputResponses): void => {
  for (const [key, answer] of Object.entries(responses)) {
    if (!(key in task.waiting)) continue
    task.answers[key] = answer
    task.waiting = Object.fromEntries(Object.entries(task.waiting).filter(([other]) => other !== key))
  }
  if (task.status !== 'input_required' || Object.keys(task.waiting).length > 0) return
  task.status = 'working'
  task.go()
}

const cancel = (task: Task): void => {
  if (!['working', 'input_required'].includes(task.status)) return
  task.status = 'cancelled'
  task.abort.abort()
}
