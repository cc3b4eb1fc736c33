import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ownGatewayClass } from '../../../src/controller/translate/gateway-class/own-gateway-class.ts'

const settings = {
  controllerName: 'agentgateway.dev/agentgateway',
  gatewayClassName: 'agentgateway',
  clusterDomain: 'cluster.local',
}

const reference = {
  group: 'agentgateway.dev',
  kind: 'ProxyParameters',
  name: 'proxies',
  namespace: 'infra',
}

test('the class of the control plane has the parameters that its settings give it', () => {
  assert.equal('parametersRef' in ownGatewayClass(settings).spec, false)
  const { spec } = ownGatewayClass({
    ...settings,
    classParameters: new Map([
      ['agentgateway', reference],
      ['other', { ...reference, name: 'others' }],
    ]),
  })
  assert.deepEqual(spec.parametersRef, reference)
})
