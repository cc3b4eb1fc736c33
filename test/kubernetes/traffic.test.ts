import assert from 'node:assert/strict'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { type Certificate, makeAuthority } from '../support/certificates.ts'
import { installController } from './lab/controller.ts'
import { eventually } from './lab/eventually.ts'
import { labProblem, startLab } from './lab/lab.ts'
import { requestsDuring } from './traffic/request-load.ts'

const HOST = 'shop.example.com'

test('requests to proxies in a cluster', { skip: labProblem(), timeout: 280_000 }, async (t) => {
  await using lab = await startLab({ name: 'traffic', channel: 'standard' })
  const kubectl = (line: string) => lab.kubectl(line.split(' '))
  const apply = (object: object) => lab.kubectl(['apply', '-f', '-'], JSON.stringify(object))
  const podsOf = async (selector: string) =>
    (await kubectl(`get pods -n shop -l ${selector} -o name`)).trim().split('\n')
  const add = (object: string, path: string, value: object) =>
    lab.kubectl([
      ...`patch -n shop ${object} --type=json -p`.split(' '),
      JSON.stringify([{ op: 'add', path, value }]),
    ])
  /** Waits until requests have one outcome, and no other. */
  const allGet = (outcome: string, target: readonly string[]) =>
    eventually(`all requests get ${outcome}`, async () => {
      const outcomes = await requestsDuring(lab, target, () => Promise.resolve())
      return Object.keys(outcomes).join() === outcome ? true : undefined
    })
  /** Replaces the pods of a Deployment, and waits until those before are gone. */
  const replacePods = async (deployment: string, selector: string) => {
    const before = await podsOf(selector)
    await kubectl(`rollout restart -n shop deployment/${deployment}`)
    await kubectl(`rollout status -n shop deployment/${deployment} --timeout=60s`)
    await kubectl(`wait -n shop --for=delete --timeout=90s ${before.join(' ')}`)
  }

  await installController(lab, { isByChart: false })
  await kubectl('apply -f examples/kubernetes/cart.yaml -f examples/kubernetes/gateway.yaml')
  const authorities = ['first', 'second'].map((name) => {
    const folder = join(lab.folder, name)
    mkdirSync(folder)
    return makeAuthority('ec', {}, folder)
  })
  const bundle = join(lab.folder, 'authorities.pem')
  writeFileSync(bundle, authorities.map(({ cert }) => cert).join(''))
  const applyCertificate = ({ cert, key }: Certificate) =>
    apply({
      apiVersion: 'v1',
      kind: 'Secret',
      type: 'kubernetes.io/tls',
      metadata: { namespace: 'shop', name: 'web-tls' },
      stringData: { 'tls.crt': cert, 'tls.key': key },
    })
  await applyCertificate(authorities[0]!.issue(HOST))
  const https = {
    name: 'https',
    port: 443,
    protocol: 'HTTPS',
    tls: { certificateRefs: [{ name: 'web-tls' }] },
  }
  await add('gateway web', '/spec/listeners/-', https)
  await kubectl('wait -n shop --for=condition=Programmed --timeout=60s gateway/web')
  for (const name of ['cart', 'web']) await kubectl(`rollout status -n shop deployment/${name} --timeout=60s`)
  const address = await kubectl('get -n shop gateway web -o jsonpath={.status.addresses[0].value}')
  const target = [`http://${address}/cart`, HOST]

  await t.test('do not fail while the proxies are replaced', async () => {
    const selector = 'gateway.networking.k8s.io/gateway-name=web'
    const outcomes = await requestsDuring(lab, target, () => replacePods('web', selector))
    assert.deepEqual(Object.keys(outcomes), ['200'])
  })

  await t.test('do not fail while the pods of a Service are replaced, nor when one is deleted', async () => {
    const outcomes = await requestsDuring(lab, target, async () => {
      await replacePods('cart', 'app=cart')
      const [pod = ''] = await podsOf('app=cart')
      await kubectl(`delete -n shop ${pod} --timeout=60s`)
      await kubectl('rollout status -n shop deployment/cart --timeout=60s')
    })
    assert.deepEqual(Object.keys(outcomes), ['200'])
  })

  await t.test('get 503 while a Service has no pods, and nothing else', async () => {
    const outcomes = await requestsDuring(lab, target, async () => {
      await kubectl('scale -n shop deployment/cart --replicas=0')
      await allGet('503', target)
      await kubectl('scale -n shop deployment/cart --replicas=3')
      await allGet('200', target)
    })
    assert.deepEqual(Object.keys(outcomes).sort(), ['200', '503'])
  })

  await t.test('do not fail while certificates are renewed', async () => {
    const url = `https://${address}/cart`
    const outcomes = await requestsDuring(lab, [url, HOST, bundle], async () => {
      for (const authority of [...authorities.toReversed(), ...authorities.toReversed()]) {
        await applyCertificate(authority.issue(HOST))
        // Clients that trust no other see that it is in use.
        await allGet('200', [url, HOST, authority.certFile])
      }
    })
    assert.deepEqual(Object.keys(outcomes), ['200'])
  })

  await t.test('do not fail while the controller is replaced, which then goes on', async () => {
    const namespace = 'agentgateway-system'
    const rule = {
      matches: [{ path: { type: 'PathPrefix', value: '/later' } }],
      backendRefs: [{ name: 'cart', port: 8080 }],
    }
    const outcomes = await requestsDuring(lab, target, async () => {
      await kubectl(`rollout restart -n ${namespace} deployment/agentgateway`)
      await kubectl(`rollout status -n ${namespace} deployment/agentgateway --timeout=90s`)
      await add('httproute cart', '/spec/rules/-', rule)
      await allGet('200', [`http://${address}/later`, HOST])
    })
    assert.deepEqual(Object.keys(outcomes), ['200'])
  })
})
