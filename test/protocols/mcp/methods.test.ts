import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  listMethodOf,
  modernMethods,
  removedInModern,
  subjectOf,
  subjectMember,
} from '../../../src/protocols/mcp/methods.ts'

test('MCP methods', async (t) => {
  await t.test('belong to session revisions or to later ones, never to both', () => {
    assert.deepEqual([...removedInModern].sort(), [
      'initialize',
      'logging/setLevel',
      'ping',
      'resources/subscribe',
      'resources/unsubscribe',
      'tasks/list',
      'tasks/result',
    ])
    assert.ok(modernMethods.has('server/discover') && modernMethods.has('subscriptions/listen'))
    assert.deepEqual(
      [...modernMethods].filter((method) => removedInModern.has(method)),
      [],
    )
  })

  await t.test('have a subject type', () => {
    const cases: readonly (readonly [string, Record<string, unknown>, string, string])[] = [
      ['tools/call', { name: 'a', arguments: {} }, 'tool', 'a'],
      ['prompts/get', { name: 'a' }, 'prompt', 'a'],
      ['resources/read', { uri: 'file:///a' }, 'resource', 'file:///a'],
      ['resources/subscribe', { uri: 'file:///a' }, 'resource', 'file:///a'],
      ['resources/unsubscribe', { uri: 'file:///a' }, 'resource', 'file:///a'],
      ['tasks/get', { taskId: '1' }, 'task', '1'],
      ['tasks/result', { taskId: '1' }, 'task', '1'],
      ['tasks/update', { taskId: '1' }, 'task', '1'],
      ['tasks/cancel', { taskId: '1' }, 'task', '1'],
      ['completion/complete', { ref: { type: 'ref/prompt', name: 'a' } }, 'prompt', 'a'],
      ['completion/complete', { ref: { type: 'ref/resource', uri: 'a://{b}' } }, 'resource', 'a://{b}'],
    ]
    for (const [method, params, kind, name] of cases) {
      assert.deepEqual(subjectOf(method, params), { kind, name }, method)
      assert.equal(subjectOf(method, undefined), 'missing', method)
      assert.equal(
        subjectOf(method, { name: 1, uri: null, taskId: {}, ref: { type: 'ref/other' } }),
        'missing',
        method,
      )
    }
    for (const method of ['tools/list', 'tasks/list', 'ping', 'constructor'])
      assert.equal(subjectOf(method, { name: 'a', taskId: 'b' }), undefined, method)
  })

  await t.test('have the member with their subject', () => {
    assert.equal(subjectMember('tools/call'), 'params.name')
    assert.equal(subjectMember('prompts/get'), 'params.name')
    assert.equal(subjectMember('resources/subscribe'), 'params.uri')
    assert.equal(subjectMember('tasks/cancel'), 'params.taskId')
    assert.equal(subjectMember('completion/complete'), 'params.ref.name or params.ref.uri')
  })

  await t.test('list tools, prompts, resources, their templates, and tasks', () => {
    assert.deepEqual(listMethodOf('tools/list'), { key: 'tools', kind: 'tool', name: 'name' })
    assert.deepEqual(listMethodOf('prompts/list'), { key: 'prompts', kind: 'prompt', name: 'name' })
    assert.deepEqual(listMethodOf('resources/list'), { key: 'resources', kind: 'resource', name: 'uri' })
    assert.deepEqual(listMethodOf('resources/templates/list'), {
      key: 'resourceTemplates',
      kind: 'resource',
      name: 'uriTemplate',
    })
    assert.deepEqual(listMethodOf('tasks/list'), { key: 'tasks', kind: 'task', name: 'taskId' })
    assert.equal(listMethodOf('roots/list'), undefined)
  })
})
