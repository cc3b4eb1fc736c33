import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { test } from 'node:test'
import { chartFolder, type Release, renderChart } from '../../kubernetes/lab/chart.ts'
import { programsProblem } from '../../kubernetes/lab/programs.ts'

/** Options of Helm, and what it reports. */
const refused: readonly (readonly [options: string, message: RegExp])[] = [
  ['--set gatewayClassParametersRefs.agentgateway.name=a', /gatewayClassParametersRefs.*namespace/s],
  [
    '--set controller.extraEnv.AGW_XDS_MODE=plaintext',
    /controller\.extraEnv: AGW_XDS_MODE is set by the chart/,
  ],
  ['--set controller.extraEnv.POD_NAMESPACE=a', /controller\.extraEnv: POD_NAMESPACE is set by the chart/],
  [
    '--set controller.extraEnv.AGW_DISCOVERY_NAMESPACE_SELECTORS=a',
    /controller\.extraEnv: AGW_DISCOVERY_NAMESPACE_SELECTORS is set by the chart/,
  ],
  [
    '--set-json controller.extraEnv={"ACCOUNT":12345678901234567890}',
    /controller\.extraEnv\.ACCOUNT: a number of so many digits must be in quotes/,
  ],
  ['--set commonLabels.agentgateway=a', /commonLabels: the label agentgateway is set by the chart/],
  ['--set podLabels.app\\.kubernetes\\.io/name=a', /podLabels: the label app\.kubernetes\.io\/name is set/],
  [
    '--set controller.service.extraLabels.agentgateway=a',
    /controller\.service\.extraLabels: the label agentgateway is set/,
  ],
  ['--set controller.service.ports.health=9092', /controller\.service\.ports: must differ from each other/],
  ['--set controller.service.ports.metrics=9095', /9095 is the port of the admin server/],
  ['--set serviceAccount.create=false', /serviceAccount\.name: name the service account/],
  [
    '--set monitoring.enabled=true,controller.service.enabled=false',
    /monitoring\.serviceMonitor\.enabled: needs controller\.service\.enabled/,
  ],
  ['--set controller.logLvl=debug', /logLvl/],
  ['--set controller.xds=null', /xds/],
  ['--set controller.image.tag=20260101', /got number, want string/],
  ['--kube-version 1.30.4', /chart requires kubeVersion: >=1\.31\.0-0/],
]

/** Names that Helm accepts for a release, and Kubernetes does not for a Service. */
const names: readonly string[] = ['1st', 'shop.example']

test('the chart refuses', { skip: programsProblem(['helm']) }, async (t) => {
  const refuses = (release: Release, message: RegExp) =>
    assert.rejects(renderChart(release), ({ stderr }: { readonly stderr: string }) => {
      assert.match(stderr, message)
      return true
    })

  for (const [options, message] of refused)
    await t.test(options, () => refuses({ args: options.split(' ') }, message))

  for (const name of names)
    await t.test(`the release ${name}`, () => refuses({ name }, /cannot be the name of a Service/))
})

test('the dashboards of the chart', { skip: programsProblem(['helm']) }, async () => {
  const rendered = await renderChart({ args: ['--set', 'monitoring.enabled=true'] })
  for (const file of readdirSync(`${chartFolder}/files/dashboards`))
    assert.ok(rendered.includes(`\n  ${file}: |\n`))
})
