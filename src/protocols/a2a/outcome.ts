import { jsonPeek } from '../json/find-by-path.ts'
import { jsonStringAt, shortened } from './call.ts'

/** The outcome of a call, as far as it is in the response. */
export interface A2aResultOutcome {
  readonly outcome: 'success' | 'error'
  readonly errorCode: number | undefined
  /** `task`, `message`, `status-update` or `artifact-update`. */
  readonly kind: string | undefined
  /** The state in the agent's protocol version: `completed` in 0.3, `TASK_STATE_COMPLETED` in 1.0. */
  readonly taskState: string | undefined
  readonly contextId: string | undefined
}

/**
 * Reads the outcome of a call.
 *
 * In version 0.3 a result has a `kind`. In version 1.0 the name of its only member is the kind, unless the
 * method can return tasks only: then the result is the task itself, which is recognised by its status.
 *
 * @param text A JSON-RPC response, or its beginning.
 * @returns Undefined if it is not a response.
 */
export const a2aOutcomeOf = (text: string): A2aResultOutcome | undefined => {
  const found = peek(text)
  if (found.get('error') === '{') {
    const code = Number(found.get('error.code'))
    const errorCode = Number.isInteger(code) ? code : undefined
    return { outcome: 'error', errorCode, kind: undefined, taskState: undefined, contextId: undefined }
  }
  if (!found.has('result')) return undefined
  const [member, memberKind] = members.find(([name]) => found.get(`result.${name}`) === '{') ?? []
  const path = member === undefined ? 'result' : `result.${member}`
  const read = (name: string): string | undefined => {
    const text = jsonStringAt(found.get(`${path}.${name}`))
    return text === undefined ? undefined : shortened(text)
  }
  const taskState = read('status.state')
  return {
    outcome: 'success',
    errorCode: undefined,
    kind: memberKind ?? read('kind') ?? (taskState === undefined ? undefined : 'task'),
    taskState,
    contextId: read('contextId'),
  }
}

/** Members of results of version 1.0, and the kinds of version 0.3 they stand for. */
const members = [
  ['task', 'task'],
  ['message', 'message'],
  ['statusUpdate', 'status-update'],
  ['artifactUpdate', 'artifact-update'],
] as const

const peek = jsonPeek([
  'error',
  'error.code',
  'result',
  ...['result', ...members.map(([name]) => `result.${name}`)].flatMap((path) => [
    path,
    `${path}.kind`,
    `${path}.contextId`,
    `${path}.status.state`,
  ]),
])
