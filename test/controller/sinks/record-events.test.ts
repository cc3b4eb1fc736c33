import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Subject } from 'rxjs'
import { type ObjectEvent, recordEvents } from '../../../src/controller/sinks/record-events.ts'
import { silentLog } from '../../../src/model/log/module-log.ts'
import { gatewayObject } from '../support/objects.ts'
import { startScriptedApi } from '../support/scripted-api.ts'

const event = (message: string, name = 'ns/gw'): ObjectEvent => ({
  object: gatewayObject(name, '5'),
  type: 'Warning',
  reason: 'AgentGatewayNackError',
  message,
})

const startRecorder = async () => {
  const api = await startScriptedApi()
  let now = Date.parse('2026-01-01T00:00:00.500Z')
  const events$ = new Subject<ObjectEvent>()
  const component = 'agentgateway.dev/agentgateway'
  const options = { client: api.client, component, log: silentLog, now: () => new Date(now) }
  const subscription = events$.pipe(recordEvents(options)).subscribe()
  return {
    ...api,
    events$,
    advance: (ms: number) => (now += ms),
    /** Answers the next request; its message. */
    recorded: async () => {
      const call = await api.calls.next()
      call.json({}, 201)
      return (JSON.parse(call.body) as { readonly message: string }).message
    },
    [Symbol.asyncDispose]: async () => {
      subscription.unsubscribe()
      await api[Symbol.asyncDispose]()
    },
  }
}

test('records an event of an object', async () => {
  await using recorder = await startRecorder()
  recorder.events$.next(event('a listener is refused'))
  const call = await recorder.calls.next()
  assert.equal(`${call.method} ${call.path}`, 'POST /api/v1/namespaces/ns/events')
  const body = JSON.parse(call.body) as { readonly metadata: { readonly name: string } }
  assert.match(body.metadata.name, /^gw\.[0-9a-f]{16}$/)
  assert.deepEqual(body, {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { name: body.metadata.name, namespace: 'ns' },
    involvedObject: {
      apiVersion: 'gateway.networking.k8s.io/v1',
      kind: 'Gateway',
      name: 'gw',
      namespace: 'ns',
      uid: 'uid-ns/gw',
      resourceVersion: '5',
    },
    type: 'Warning',
    reason: 'AgentGatewayNackError',
    message: 'a listener is refused',
    source: { component: 'agentgateway.dev/agentgateway' },
    reportingComponent: 'agentgateway.dev/agentgateway',
    firstTimestamp: '2026-01-01T00:00:00Z',
    lastTimestamp: '2026-01-01T00:00:00Z',
    count: 1,
  })
})

test('records the same event once in ten minutes', async () => {
  await using recorder = await startRecorder()
  for (const message of ['a', 'a', 'b']) recorder.events$.next(event(message))
  assert.equal(await recorder.recorded(), 'a')
  assert.equal(await recorder.recorded(), 'b')
  recorder.advance(600_000)
  recorder.events$.next(event('a'))
  assert.equal(await recorder.recorded(), 'a')
})

test('records ten events of an object at once, then one a minute', async () => {
  await using recorder = await startRecorder()
  for (let at = 0; at < 20; at++) recorder.events$.next(event(`m${at}`))
  recorder.events$.next(event('of another', 'ns/other'))
  for (let at = 0; at < 10; at++) await recorder.recorded()
  assert.equal(await recorder.recorded(), 'of another')
  recorder.advance(60_000)
  for (const message of ['later', 'too many', 'more']) recorder.events$.next(event(message))
  assert.equal(await recorder.recorded(), 'later')
  recorder.events$.next(event('the end', 'ns/third'))
  assert.equal(await recorder.recorded(), 'the end')
})

test('cuts long messages between characters, and goes on after a refusal', async () => {
  await using recorder = await startRecorder()
  recorder.events$.next(event('refused'))
  ;(await recorder.calls.next()).fail(403, 'Forbidden')
  recorder.events$.next(event('€'.repeat(400)))
  const message = await recorder.recorded()
  assert.ok(Buffer.byteLength(message) <= 1_024 && /^€+…$/u.test(message))
})

test('records an event that the server did not respond to at first', async () => {
  await using recorder = await startRecorder()
  recorder.events$.next(event('a listener is refused'))
  for (let attempt = 0; attempt < 2; attempt++) (await recorder.calls.next()).cut()
  assert.equal(await recorder.recorded(), 'a listener is refused')
  recorder.events$.next(event('something else'))
  for (let attempt = 0; attempt < 3; attempt++) (await recorder.calls.next()).cut()
  recorder.events$.next(event('the end'))
  assert.equal(await recorder.recorded(), 'the end')
})

test('says that an event was seen again that is there already, be it of another replica', async () => {
  await using recorder = await startRecorder()
  recorder.events$.next(event('a listener is refused'))
  const create = await recorder.calls.next()
  const { name } = (JSON.parse(create.body) as { readonly metadata: { readonly name: string } }).metadata
  create.fail(409, 'AlreadyExists')
  const patch = await recorder.calls.next()
  assert.equal(`${patch.method} ${patch.path}`, `PATCH /api/v1/namespaces/ns/events/${name}`)
  assert.deepEqual(JSON.parse(patch.body), { lastTimestamp: '2026-01-01T00:00:00Z' })
  patch.json({})
  recorder.events$.next(event('something else'))
  assert.equal(await recorder.recorded(), 'something else')
})

test('keeps a hundred events for a server that is slow', async () => {
  await using recorder = await startRecorder()
  for (let at = 0; at < 200; at++) recorder.events$.next(event('refused', `ns/g${at}`))
  for (let at = 0; at < 100; at++) await recorder.recorded()
  recorder.events$.next(event('the end'))
  assert.equal(await recorder.recorded(), 'the end')
})

test('gives a Gateway of any name events', async () => {
  await using recorder = await startRecorder()
  recorder.events$.next(event('refused', `ns/${'a'.repeat(199)}-${'b'.repeat(50)}`))
  const call = await recorder.calls.next()
  const { name } = (JSON.parse(call.body) as { readonly metadata: { readonly name: string } }).metadata
  assert.match(name, /^a{199}\.[0-9a-f]{16}$/)
})

test('counts events that come again', async () => {
  await using recorder = await startRecorder()
  const repeated = async (response: object): Promise<unknown> => {
    recorder.advance(600_000)
    recorder.events$.next(event('a listener is refused'))
    ;(await recorder.calls.next()).fail(409, 'AlreadyExists')
    const patch = await recorder.calls.next()
    patch.json(response)
    // Once others have come and gone, the response is there.
    for (const probe of ['one', 'two']) {
      recorder.events$.next(event(`${probe} ${patch.body}`, `ns/${probe}`))
      await recorder.recorded()
    }
    return JSON.parse(patch.body)
  }
  // How often it came before this control plane is not known at first.
  assert.deepEqual(await repeated({ count: 4 }), { lastTimestamp: '2026-01-01T00:10:00Z' })
  assert.deepEqual(await repeated({ count: 5 }), { lastTimestamp: '2026-01-01T00:20:00Z', count: 5 })
  assert.deepEqual(await repeated({ count: 6 }), { lastTimestamp: '2026-01-01T00:30:00Z', count: 6 })
})

test('a namespace full of broken objects gets 150 events and then one a second; others get theirs', async () => {
  await using recorder = await startRecorder()
  for (let at = 0; at < 1_000; at++) {
    recorder.events$.next(event('refused', `ns/g${at}`))
    if (at < 150) await recorder.recorded()
  }
  recorder.events$.next(event('of another tenant', 'other/g'))
  assert.equal(await recorder.recorded(), 'of another tenant')
  recorder.advance(2_000)
  for (let at = 0; at < 3; at++) recorder.events$.next(event(`again ${at}`, `ns/h${at}`))
  assert.equal(await recorder.recorded(), 'again 0')
  assert.equal(await recorder.recorded(), 'again 1')
  recorder.events$.next(event('the end', 'other/h'))
  assert.equal(await recorder.recorded(), 'the end')
})

test('makes nothing of events that have no room', async () => {
  await using recorder = await startRecorder()
  let read = 0
  for (let index = 0; index < 10_000; index++) {
    const { object, ...rest } = event('a listener is refused', `ns-${index}/gw`)
    recorder.events$.next({
      ...rest,
      get object() {
        read++
        return object
      },
    })
  }
  assert.equal(read, 100)
})
