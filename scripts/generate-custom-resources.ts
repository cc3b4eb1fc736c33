/**
 * Writes the CustomResourceDefinitions of our kinds, a template each of the chart and one manifest, and their reference
 * pages. With `--check` it writes nothing and fails if a file is out of date.
 *
 * @example
 * node scripts/generate-custom-resources.ts --check
 */
import { readFile, writeFile } from 'node:fs/promises'
import { format, resolveConfig } from 'prettier'
import { stringify } from 'yaml'
import { customResources } from '../src/controller/custom-resources/custom-resources.ts'
import { customResourcePage } from './custom-resource-page.ts'
import { CUSTOM_RESOURCE_GROUP, customResourceDefinition } from '../src/controller/schema/custom-resource.ts'

const chart = 'deploy/charts/agentgateway-crds/templates'

/** Shared parts are written out: the API server does not allow aliases to grow that much. */
const toYaml = (value: unknown) => stringify(value, { aliasDuplicateObjects: false, lineWidth: 0 })

const definitions = customResources.map(customResourceDefinition)

/** With a definition, Kubernetes deletes every object of its kind: `helm uninstall` must not. */
const kept = { 'helm.sh/resource-policy': 'keep' }

const files = [
  ...definitions.map((definition, index) => ({
    path: `${chart}/${CUSTOM_RESOURCE_GROUP}_${customResources[index]?.plural ?? ''}.yaml`,
    text: toYaml({ ...definition, metadata: { ...definition.metadata, annotations: kept } }),
  })),
  {
    path: 'deploy/kubernetes/agentgateway-crds.yaml',
    text: definitions.map(toYaml).join('---\n'),
  },
  ...customResources.map((resource) => ({
    path: `docs/reference/${resource.kind.toLowerCase()}.md`,
    text: customResourcePage(resource),
  })),
]

const check = process.argv.includes('--check')
for (const { path, text } of files) {
  // Helm would take them for its own.
  if (path.startsWith(chart) && text.includes('{{')) throw new Error(`${path} has braces`)
  const url = new URL(`../${path}`, import.meta.url)
  const style = await resolveConfig(url)
  const content = await format(text, { ...style, parser: path.endsWith('.md') ? 'markdown' : 'yaml' })
  const current = await readFile(url, 'utf8').catch(() => '')
  if (current === content) continue
  if (check) {
    console.error(`${path} is out of date: run node scripts/generate-custom-resources.ts`)
    process.exitCode = 1
  } else {
    await writeFile(url, content)
    console.log(`wrote ${path}`)
  }
}
