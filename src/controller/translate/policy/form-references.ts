import type * as File from '../../../config/schema/file-types.gen.ts'
import type { FormContext, SecretReference, ServiceOfPolicy, Texts } from '../../schema/form-context.ts'
import type { BackendRefForm } from '../../schema/reference-fields.ts'
import { defineIndex } from '../../graph/object-index.ts'
import type { GraphReads } from '../../graph/query.ts'
import type { ConfigMap, Secret } from '../../kinds/core.ts'
import { matchesLabels } from '../../kinds/label-selector.ts'
import { type KubernetesObject, objectKey } from '../../kinds/object.ts'
import { callableBackend } from '../backend/callable-backend.ts'
import { isProxyBackend, proxyBackendProblem, serviceProblem } from '../backend/reference-problem.ts'
import { authorityBundle } from '../certificates/certificate-authorities.ts'
import { decodedSecret } from '../certificates/pem.ts'
import { isPoolReference, poolService } from '../inference/pool-reference.ts'
import { serviceResourceKey } from '../service/service-names.ts'
import { unsupportedKind } from '../status/unsupported-kind.ts'

/** An object that has policies, and what they refer to. */
export interface ReferenceHolder {
  readonly kind: 'ProxyPolicy' | 'ProxyBackend' | 'ProxyModel'
  readonly namespace: string
  /** What it sends requests to: `Service/namespace/name`, and the same of ProxyBackends and InferencePools. */
  readonly references: Set<string>
}

/** What was looked for, or why it cannot be used. */
export type Found<T> = { readonly value: T } | { readonly problem: string }

/** What the forms of policies look up of other objects. */
export const formReferences = (
  reads: GraphReads,
  holder: ReferenceHolder,
  report: (message: string) => void,
): Omit<FormContext, 'remoteKeys'> => {
  const { namespace } = holder
  /** The value, or the report of its problem. */
  const take = <T>(found: Found<T>): T | undefined => {
    if ('value' in found) return found.value
    report(found.problem)
    return undefined
  }
  const backend = (reference: BackendRefForm) => take(backendOf(reads, holder, reference))
  return {
    namespace,
    report,
    backend,
    modelServer: (reference) => {
      const target = isPoolReference(reference, reads)
        ? take(poolOf(reads, holder, reference))
        : backend(reference)
      return target && 'service' in target ? target : undefined
    },
    endpoint: ({ backendRef, url }) =>
      backendRef
        ? backend(backendRef)
        : take(
            url === undefined
              ? { problem: 'backendRef or url must be set' }
              : { value: { host: originOf(url) } },
          ),
    secret: (reference) => {
      const secret = take(secretOf(reads, namespace, reference))
      return secret && secretTexts(secret)
    },
    secretKey: (reference, defaultKey) => {
      const secret = take(secretOf(reads, namespace, reference))
      const key = reference.key ?? defaultKey
      if (!secret || (reference.optional === true && !hasKey(secret, key))) return undefined
      return take(secretText(secret, key))
    },
    configMapKey: (name, key) => {
      const found = reads.object('ConfigMap', `${namespace}/${name}`)
      const object = `ConfigMap ${namespace}/${name}`
      return take(found ? textOf(configMapTexts(found), key, object) : { problem: `${object} not found` })
    },
    labelled: (kind, labels) => {
      const isLabelled = ({ metadata }: KubernetesObject) =>
        matchesLabels(metadata.labels ?? {}, { matchLabels: labels })
      return kind === 'Secret'
        ? reads
            .indexed(secretsByNamespace, namespace)
            .filter(isLabelled)
            .sort(byAge)
            .map((one) => ({ name: one.metadata.name, texts: secretTexts(one) }))
        : reads
            .indexed(configMapsByNamespace, namespace)
            .filter(isLabelled)
            .sort(byAge)
            .map((one) => ({ name: one.metadata.name, texts: configMapTexts(one) }))
    },
    authorities: (references) => {
      const bundles = references.map(({ kind = 'ConfigMap', name }) => {
        const bundle = reads.query(authorityBundle, `${kind}/${namespace}/${name}`)
        return take('error' in bundle ? { problem: bundle.error } : { value: bundle.rootPem })
      })
      return bundles.includes(undefined) ? undefined : bundles.join('\n')
    },
  }
}

/** The Service or ProxyBackend that a policy calls. It is one of the references of the holder then. */
export const backendOf = (
  reads: GraphReads,
  { kind, namespace, references }: ReferenceHolder,
  reference: BackendRefForm,
): Found<ServiceOfPolicy> => {
  const toNamespace = reference.namespace ?? namespace
  const target = { namespace: toNamespace, key: `${toNamespace}/${reference.name}` }
  const needsGrant = reads.settings.backendGrants === 'route-and-policy'
  const origin = needsGrant ? { group: 'agentgateway.dev', kind, namespace } : undefined
  if (isProxyBackend(reference)) {
    const missing = proxyBackendProblem(reads, reference, origin, target)
    if (missing) return { problem: missing.message }
    if (!reads.query(callableBackend, target.key))
      return {
        problem: `ProxyBackend ${target.key} has no host: policies can only call one of static or a2a`,
      }
    references.add(`ProxyBackend/${target.key}`)
    return { value: { backend: target.key } }
  }
  const problem = serviceProblem(reads, reference, origin, target)
  if (problem) return { problem: problem.message }
  references.add(`Service/${target.key}`)
  const name = serviceResourceKey(target.key, reads.settings)
  return { value: { service: { name, port: reference.port ?? 0 } } }
}

/** A pool of the same namespace: references to those of others have no form. */
const poolOf = (
  reads: GraphReads,
  { namespace, references }: ReferenceHolder,
  { name }: BackendRefForm,
): Found<{ readonly service: File.ServiceReference }> => {
  const key = `${namespace}/${name}`
  const found = poolService(key, reads)
  if ('reason' in found) return { problem: found.message }
  references.add(`InferencePool/${key}`)
  return { value: found }
}

const secretOf = (
  reads: GraphReads,
  namespace: string,
  { group = '', kind = 'Secret', name }: SecretReference,
): Found<Secret> => {
  if (group !== '' || kind !== 'Secret') return { problem: unsupportedKind(group, kind) }
  const secret = reads.object('Secret', `${namespace}/${name}`)
  return secret ? { value: secret } : { problem: `Secret ${namespace}/${name} not found` }
}

const hasKey = ({ data = {}, longKeys = [] }: Secret, key: string): boolean =>
  Object.hasOwn(data, key) || longKeys.includes(key)

const secretText = (secret: Secret, key: string): Found<string> => {
  const object = `Secret ${objectKey(secret)}`
  return secret.longKeys?.includes(key)
    ? { problem: `${object}: the value of "${key}" is longer than 12 KiB, and is not read` }
    : textOf(secretTexts(secret), key, object)
}

const secretTexts = ({ data = {} }: Secret): Texts =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, decodedSecret(value).trim()]))

const configMapTexts = ({ data = {} }: ConfigMap): Texts =>
  Object.fromEntries(Object.entries(data).map(([key, value]) => [key, value.trim()]))

/** Names of keys may be those of inherited properties. */
const textOf = (texts: Texts, key: string, object: string): Found<string> =>
  Object.hasOwn(texts, key) ? { value: texts[key] ?? '' } : { problem: `${object} has no key "${key}"` }

const originOf = (url: string): string => /^https?:\/\/[^/]+/.exec(url)?.[0] ?? url

/** Those of one age stay in the order of their names. */
const byAge = (a: KubernetesObject, b: KubernetesObject): number => {
  const [first = '', second = ''] = [a, b].map(({ metadata }) => metadata.creationTimestamp)
  return first === second ? 0 : first < second ? -1 : 1
}

const secretsByNamespace = defineIndex('Secret', 'namespace', ({ metadata }) => [metadata.namespace ?? ''])
const configMapsByNamespace = defineIndex('ConfigMap', 'namespace', ({ metadata }) => [
  metadata.namespace ?? '',
])
