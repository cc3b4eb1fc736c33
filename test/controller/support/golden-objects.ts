import assert from 'node:assert/strict'
import { parseAllDocuments } from 'yaml'
import { Graph } from '../../../src/controller/graph/graph.ts'
import type { InputKind, Inputs } from '../../../src/controller/kinds/inputs.ts'
import { type Kind, kinds } from '../../../src/controller/kinds/kinds.ts'
import { readWatchedObject } from '../../../src/controller/streams/watched-object.ts'

/** An object of a case. */
export interface GoldenObject {
  readonly kind: InputKind
  readonly key: string
  readonly object: Inputs[InputKind]
}

/**
 * Reads objects. What the API server would set may be absent: the generation is 1, the date that of the first hour of
 * 2026, and the uid is the key. `stringData` becomes `data`. A `GatewayDeployment` has its fields beside `metadata`.
 */
export const readGoldenObjects = (text: string, fill: (text: string) => string): readonly GoldenObject[] =>
  parseAllDocuments(text).flatMap((document) => {
    assert.ok('errors' in document && document.errors.length === 0, String(document.errors[0]))
    const value: unknown = document.toJS()
    return value === null ? [] : [goldenObject(value as Source, fill)]
  })

/** A graph of objects. */
export const goldenGraph = (objects: readonly GoldenObject[]): Graph => {
  const graph = new Graph({
    controllerName: 'agentgateway.dev/agentgateway',
    gatewayClassName: 'agentgateway',
    clusterDomain: 'cluster.local',
    features: ['inferenceExtension', 'models'],
  })
  for (const { kind, key, object } of objects) graph.set(kind, key, object)
  return graph
}

interface Source {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly namespace?: string }
  readonly data?: Readonly<Record<string, string>>
  readonly stringData?: Readonly<Record<string, string>>
}

const goldenObject = (source: Source, fill: (text: string) => string): GoldenObject => {
  const { kind, metadata } = source
  assert.ok(kind in kinds || kind === 'GatewayDeployment', `unknown kind ${kind}`)
  const key = metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`
  const { stringData = {}, data = {}, ...rest } = source
  const hasData = 'stringData' in source || 'data' in source
  const object = {
    ...rest,
    metadata: { uid: key, generation: 1, creationTimestamp: '2026-01-01T00:00:00Z', ...metadata },
    ...(hasData
      ? {
          data: {
            ...Object.fromEntries(Object.entries(data).map(([name, text]) => [name, fill(text)])),
            ...Object.fromEntries(
              Object.entries(stringData).map(([name, text]) => [
                name,
                Buffer.from(fill(text)).toString('base64'),
              ]),
            ),
          },
        }
      : {}),
  }
  // What the control plane does not keep of an object is not there for a case either.
  const kept = kind === 'GatewayDeployment' ? object : readWatchedObject(kind as Kind, object)
  return { kind: kind as InputKind, key, object: kept as unknown as Inputs[InputKind] }
}
