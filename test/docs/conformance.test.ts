import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { parse } from 'yaml'

interface Statistics {
  readonly Passed: number
  readonly Failed: number
  readonly Skipped: number
}

interface Report {
  readonly gatewayAPIVersion: string
  readonly profiles: readonly {
    readonly name: string
    readonly core: { readonly statistics: Statistics }
    readonly extended: { readonly statistics: Statistics }
  }[]
}

const readme = readFileSync('README.md', 'utf8')
const reportOf = (channel: string): Report =>
  parse(readFileSync(`conformance/${channel}.yaml`, 'utf8')) as Report

test('the table of conformance has the numbers of the reports, of which no test failed or was skipped', () => {
  const reports = ['experimental', 'standard'].map(reportOf)
  const rows = [...readme.matchAll(/^\| (GATEWAY-\w+) +\| (\d+) +\| (\d+) +\| (\d+) +\|$/gm)]
  assert.deepEqual(
    rows.map(([, name = '', ...counts]) => [name, ...counts.map(Number)]).sort(),
    (reports[0]?.profiles ?? [])
      .map(({ name }) => {
        const [experimental, standard] = reports.map(({ profiles }) =>
          profiles.find((one) => one.name === name),
        )
        assert.deepEqual(experimental?.core.statistics, standard?.core.statistics)
        return [
          name,
          experimental?.core.statistics.Passed,
          experimental?.extended.statistics.Passed,
          standard?.extended.statistics.Passed,
        ]
      })
      .sort(),
  )
  for (const { profiles, gatewayAPIVersion } of reports) {
    assert.ok(readme.includes(`suite ${gatewayAPIVersion.slice(1)}`))
    for (const { core, extended } of profiles)
      for (const { Failed, Skipped } of [core.statistics, extended.statistics])
        assert.deepEqual({ Failed, Skipped }, { Failed: 0, Skipped: 0 })
  }
})

test('the line of the inference extension has the numbers of its report', () => {
  const report = parse(readFileSync('conformance/experimental-inference.yaml', 'utf8')) as {
    readonly GatewayAPIInferenceExtensionVersion: string
    readonly profiles: readonly { readonly core: { readonly statistics: Statistics } }[]
  }
  const [profile] = report.profiles
  const { Passed, Failed, Skipped } = profile?.core.statistics ?? assert.fail()
  assert.deepEqual({ Failed, Skipped }, { Failed: 0, Skipped: 0 })
  const version = report.GatewayAPIInferenceExtensionVersion.slice(1)
  assert.ok(readme.includes(`suite of the inference extension ${version}: ${Passed} passed, 0 failed`))
})
