import assert from 'node:assert/strict'
import { test } from 'node:test'
import { a2aOutcomeOf } from '../../../src/protocols/a2a/outcome.ts'

const nothing = { errorCode: undefined, kind: undefined, taskState: undefined, contextId: undefined }
const success = { ...nothing, outcome: 'success' }
const error = { ...nothing, outcome: 'error' }

const cases: readonly (readonly [what: string, message: object, outcome: object | undefined])[] = [
  [
    'a task of version 0.3',
    { id: 1, result: { id: 't', contextId: 'c', kind: 'task', status: { state: 'working' } } },
    { ...success, kind: 'task', taskState: 'working', contextId: 'c' },
  ],
  [
    'a message of version 0.3',
    { id: 1, result: { kind: 'message', contextId: 'c', parts: [{ kind: 'text' }] } },
    { ...success, kind: 'message', contextId: 'c' },
  ],
  [
    'an event of version 0.3',
    { id: 1, result: { kind: 'status-update', contextId: 'c', status: { state: 'completed' }, final: true } },
    { ...success, kind: 'status-update', taskState: 'completed', contextId: 'c' },
  ],
  [
    'a task of version 1.0',
    { id: 1, result: { task: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_COMPLETED' } } } },
    { ...success, kind: 'task', taskState: 'TASK_STATE_COMPLETED', contextId: 'c' },
  ],
  [
    'a message of version 1.0',
    { id: 1, result: { message: { contextId: 'c', role: 'ROLE_AGENT' } } },
    { ...success, kind: 'message', contextId: 'c' },
  ],
  [
    'events of version 1.0',
    { id: 1, result: { statusUpdate: { contextId: 'c', status: { state: 'TASK_STATE_WORKING' } } } },
    { ...success, kind: 'status-update', taskState: 'TASK_STATE_WORKING', contextId: 'c' },
  ],
  [
    'artifacts of version 1.0',
    { id: 1, result: { artifactUpdate: { contextId: 'c', artifact: {} } } },
    { ...success, kind: 'artifact-update', contextId: 'c' },
  ],
  [
    'a task that was requested',
    { id: 1, result: { id: 't', contextId: 'c', status: { state: 'TASK_STATE_FAILED' } } },
    { ...success, kind: 'task', taskState: 'TASK_STATE_FAILED', contextId: 'c' },
  ],
  ['a result that is nothing of it', { id: 1, result: null }, success],
  [
    'an error',
    { id: 1, error: { code: -32001, message: 'Task not found' } },
    { ...error, errorCode: -32001 },
  ],
  ['an error without a code', { id: 1, error: { message: 'no' } }, error],
  ['an error whose code is none', { id: 1, error: { code: 'E1' } }, error],
  ['no response at all', { id: 1, method: 'message/send' }, undefined],
  ['error null beside a result', { id: 1, error: null, result: {} }, success],
]

for (const [what, message, outcome] of cases)
  test(`parses ${what}`, () => {
    assert.deepEqual(a2aOutcomeOf(JSON.stringify(message)), outcome)
  })

test('parses as much as there is', () => {
  assert.deepEqual(a2aOutcomeOf('{"id":1,"result":{"kind":"task","contextId":"c","status":{"sta'), {
    ...success,
    kind: 'task',
    contextId: 'c',
  })
})
