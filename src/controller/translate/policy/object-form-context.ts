import type { FormContext, SecretReference, ServiceOfPolicy, Texts } from '../../schema/form-context.ts'
import type { BackendRefForm } from '../../schema/reference-fields.ts'
import { defineIndex } from '../../graph/object-index.ts'
import type { GraphReads } from '../../graph/query.ts'
import type { ConfigMap, Secret } from '../../kinds/core.ts'
import { matchesLabels } from '../../kinds/label-selector.ts'
import { serviceProblem } from '../backend/backend-reference.ts'
import { authorityBundle } from '../certificates/certificate-authorities.ts'
import { decodedSecret } from '../certificates/pem.ts'
import { keySetSource, type KeySetSource } from '../jwks/key-set-source.ts'
import { storedKeys } from '../jwks/stored-key-set.ts'
import { serviceResourceKey } from '../service/service-names.ts'
import { unsupportedKind } from '../status/unsupported-kind.ts'

/** An object that has policies, and what their translation finds. */
export interface PolicyHolder {
  readonly kind: 'ProxyPolicy' | 'ProxyBackend'
  readonly namespace: string
  /** What the policies send requests to: `Service/namespace/name`. */
  readonly references: Set<string>
  /** The key sets that they need, by name. */
  readonly keySets: Map<string, KeySetSource>
}

/** The context for the forms of the policies of an object. */
export const objectFormContext = (
  reads: GraphReads,
  { kind, namespace, references, keySets }: PolicyHolder,
  onProblem: (message: string) => void,
): FormContext => {
  const report = (message: string): undefined => {
    onProblem(message)
    return undefined
  }
  const origin = { group: 'agentgateway.dev', kind, namespace }
  const backend = (reference: BackendRefForm): ServiceOfPolicy | undefined => {
    const target = {
      key: `${reference.namespace ?? namespace}/${reference.name}`,
      namespace: reference.namespace ?? namespace,
    }
    const needsGrant = reads.settings.backendGrants === 'route-and-policy'
    const problem = serviceProblem(reads, reference, needsGrant ? origin : undefined, target)
    if (problem) return report(problem.message)
    references.add(`Service/${target.key}`)
    return { service: { name: serviceResourceKey(target.key, reads.settings), port: reference.port ?? 0 } }
  }
  const secret = (reference: SecretReference): Texts | undefined => {
    const { group = '', kind: of = 'Secret', name } = reference
    if (group !== '' || of !== 'Secret') return report(unsupportedKind(group, of))
    const found = reads.object('Secret', `${namespace}/${name}`)
    return found ? secretTexts(found) : report(`Secret ${namespace}/${name} not found`)
  }
  return {
    namespace,
    report,
    backend,
    endpoint: ({ backendRef, url }) => {
      if (backendRef) return backend(backendRef)
      return url === undefined ? report('backendRef or url must be set') : { host: originOf(url) }
    },
    secret,
    secretKey: (reference, defaultKey) => {
      const texts = secret(reference)
      if (!texts) return undefined
      const key = reference.key ?? defaultKey
      const text = textOf(texts, key)
      return text ?? report(`Secret ${namespace}/${reference.name} has no key "${key}"`)
    },
    configMapKey: (name, key) => {
      const found = reads.object('ConfigMap', `${namespace}/${name}`)
      if (!found) return report(`ConfigMap ${namespace}/${name} not found`)
      return (
        textOf(configMapTexts(found), key) ?? report(`ConfigMap ${namespace}/${name} has no key "${key}"`)
      )
    },
    labelled: (of, labels) =>
      (of === 'Secret'
        ? reads.indexed(secretsByNamespace, namespace).map((one) => [one, secretTexts(one)] as const)
        : reads.indexed(configMapsByNamespace, namespace).map((one) => [one, configMapTexts(one)] as const)
      )
        .filter(([{ metadata }]) => matchesLabels(metadata.labels ?? {}, { matchLabels: labels }))
        .map(([{ metadata }, texts]) => ({ name: metadata.name, texts })),
    authorities: (list) => {
      const bundles = list.map(({ kind: of = 'ConfigMap', name }) =>
        reads.query(authorityBundle, `${of}/${namespace}/${name}`),
      )
      for (const bundle of bundles) if ('error' in bundle) report(bundle.error)
      return bundles.some((bundle) => 'error' in bundle)
        ? undefined
        : bundles.flatMap((bundle) => ('rootPem' in bundle ? [bundle.rootPem] : [])).join('\n')
    },
    remoteKeys: (form) => {
      if (form.backendRef && !backend(form.backendRef)) return undefined
      const source = keySetSource(reads, form, namespace)
      if ('problem' in source) return report(source.problem)
      const known = keySets.get(source.name)
      if (!known || source.refreshMs < known.refreshMs) keySets.set(source.name, source)
      return (
        reads.query(storedKeys, source.name) ??
        report(`the key set of ${source.url} is not available: not fetched yet, or the fetch failed`)
      )
    },
  }
}

const secretTexts = ({ data = {} }: Secret): Texts =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, decodedSecret(value).trim()]))

const configMapTexts = ({ data = {} }: ConfigMap): Texts =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, value.trim()]))

/** Names of keys may be those of inherited properties. */
const textOf = (texts: Texts, key: string): string | undefined =>
  Object.hasOwn(texts, key) ? texts[key] : undefined

const originOf = (url: string): string => /^https?:\/\/[^/]+/.exec(url)?.[0] ?? url

const secretsByNamespace = defineIndex('Secret', 'namespace', ({ metadata }) => [metadata.namespace ?? ''])
const configMapsByNamespace = defineIndex('ConfigMap', 'namespace', ({ metadata }) => [
  metadata.namespace ?? '',
])
