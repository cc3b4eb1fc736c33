import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compile } from '../../../src/cel/compile.ts'
import { RawContext } from '../../../src/cel/context/tcp-context.ts'
import type { AccessLog } from '../../../src/model/resources/frontend-policies.ts'
import type { RawSession } from '../../../src/model/exchange/raw-session.ts'
import { accessLogFields } from '../../../src/sinks/access-log/access-log.ts'
import { accessLogRules } from '../../../src/sinks/access-log/access-log-policy.ts'
import { rawAccessLog } from '../../../src/sinks/access-log/tcp-access-log.ts'
import { lineCollector } from '../../support/line-collector.ts'
import { endedRawSession } from '../../support/raw-session.ts'

const line = (session: RawSession, format: 'text' | 'json' = 'text', policy?: Partial<AccessLog>): string => {
  const destination = lineCollector()
  const rules =
    policy &&
    accessLogRules<RawSession>(
      { add: [], remove: [], ...policy },
      {
        test: (text) => (one) => compile(text).test(new RawContext(one)),
        value: (text) => (one) => compile(text).evaluate(new RawContext(one)).value,
      },
    )
  rawAccessLog({ format, destination, rules: () => rules })(session)
  return destination.lines.join('').replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/, '<time>')
}

test('the access log of raw connections', async (t) => {
  await t.test('has a line of text for each', () => {
    assert.equal(
      line(endedRawSession({}, 'db.example')),
      '<time>\tinfo\trequest gateway=default/default listener=listener0 route=default/raw ' +
        'endpoint=127.0.0.1:5432 src.addr=127.0.0.1:50000 tls.sni=db.example protocol=tcp reason=Upstream ' +
        'duration=12ms durationMs=12.9\n',
    )
  })

  await t.test('or a JSON object, in the order of request fields', () => {
    const session = endedRawSession({ error: 'client left', code: 'some_code' }, 'db.example')
    session.labels = { ...session.labels, routeRule: 'rule' }
    const object = JSON.parse(line(session, 'json')) as Record<string, unknown>
    assert.deepEqual([object.scope, object.error], ['request', 'client left'])
    const names = Object.keys(object).slice(3)
    assert.deepEqual(
      names,
      accessLogFields.filter((name) => names.includes(name)),
    )
    assert.equal(names.length, 13)
  })

  await t.test('omits unknown fields', () => {
    const refused = endedRawSession({
      endpoint: undefined,
      reason: 'NotFound',
      code: 'route_not_found',
      error: 'route not found',
    })
    assert.equal(
      line(refused),
      '<time>\tinfo\trequest gateway=default/default listener=listener0 route=default/raw ' +
        'src.addr=127.0.0.1:50000 protocol=tcp error="route not found" reason=NotFound code=route_not_found ' +
        'duration=12ms durationMs=12.9\n',
    )
  })

  await t.test('applies the policy, whose expressions see the connection and no request', () => {
    const session = endedRawSession({}, 'db.example')
    const add = (text: string) => line(session, 'text', { add: [['added', text]] }).split(' added=')[1]
    assert.equal(add('destination.hostname'), 'db.example\n')
    assert.equal(add('source.address'), '127.0.0.1\n')
    assert.equal(add('backend.name + "/" + proxy.route.name'), 'b/raw\n')
    assert.equal(add('request.path'), undefined)
    assert.equal(add('response.code'), undefined)
    assert.doesNotMatch(line(session, 'text', { remove: ['tls.sni'] }), /tls\.sni/)
    assert.notEqual(line(session, 'text', { filter: 'backend.protocol == "tcp"' }), '')
    assert.equal(line(session, 'text', { filter: 'backend.protocol == "http"' }), '')
    assert.equal(line(session, 'text', { filter: 'response.code >= 400' }), '')
  })

  await t.test('contains no credentials of the surrounding tunnel', () => {
    const connectHeaders = ['proxy-authorization', 'Basic c2VjcmV0OnNlY3JldA==', 'x-seen', 'shown']
    const session = endedRawSession({}, undefined, { connectHeaders })
    const text = line(session, 'text', {
      add: [
        ['tunnel', 'source.connectHeaders["proxy-authorization"]'],
        ['seen', 'source.connectHeaders["x-seen"]'],
      ],
    })
    assert.doesNotMatch(text, /c2VjcmV0/)
    assert.match(text, / seen=shown\n$/)
  })
})
