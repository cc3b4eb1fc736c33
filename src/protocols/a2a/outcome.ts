import { jsonPeek } from '../json/peek-json.ts'
import { jsonText, shortened } from './call.ts'

/** How a call went, as far as its answer says it. */
export interface A2aOutcome {
  readonly outcome: 'success' | 'error'
  readonly errorCode: number | undefined
  /** `task`, `message`, `status-update` or `artifact-update`. */
  readonly kind: string | undefined
  /** As the agent calls it: `completed` in version 0.3, `TASK_STATE_COMPLETED` in version 1.0. */
  readonly taskState: string | undefined
  readonly contextId: string | undefined
}

/**
 * Reads how a call went.
 *
 * In version 0.3 a result says itself of which kind it is. In version 1.0 its only member does, unless tasks alone can be
 * meant: then it is the task itself, which is known by its status.
 *
 * @param text A JSON-RPC response, or its beginning.
 * @returns Undefined if it is none.
 */
export const a2aOutcomeOf = (text: string): A2aOutcome | undefined => {
  const found = peek(text)
  if (found.get('error') === '{') {
    const code = Number(found.get('error.code'))
    const errorCode = Number.isInteger(code) ? code : undefined
    return { outcome: 'error', errorCode, kind: undefined, taskState: undefined, contextId: undefined }
  }
  if (!found.has('result')) return undefined
  const [member, memberKind] = members.find(([name]) => found.get(`result.${name}`) === '{') ?? []
  const place = member === undefined ? 'result' : `result.${member}`
  const read = (name: string): string | undefined => {
    const text = jsonText(found.get(`${place}.${name}`))
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

/** What results of version 1.0 hold, and what version 0.3 calls it. */
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
  ...['result', ...members.map(([name]) => `result.${name}`)].flatMap((place) => [
    place,
    `${place}.kind`,
    `${place}.contextId`,
    `${place}.status.state`,
  ]),
])
