import { globSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { parseAllDocuments } from 'yaml'

/** An object that the API server is given, and what it has to say of it. */
export interface SchemaDocument {
  /** The file and the position in it. */
  readonly name: string
  readonly object: Readonly<Record<string, unknown>>
  /** A part of the message that rejects it; without it, it is accepted. */
  readonly rejection: string | undefined
}

const root = join(import.meta.dirname, '..', 'documents')
const goldens = join(import.meta.dirname, '..', 'golden')

/**
 * The documents of a kind: `documents/<kind>/*.yaml`. What is the same in all of them, version, kind and metadata, need
 * not be there.
 */
export const documentsOf = (kind: string): readonly SchemaDocument[] =>
  globSync(join(root, kind, '*.yaml'))
    .sort()
    .flatMap((path) =>
      parseAllDocuments(readFileSync(path, 'utf8')).map((document, index) => {
        for (const error of document.errors) throw new Error(`${path}: ${error.message}`)
        const { _err: rejection, ...object } = document.toJS() as { readonly _err?: string }
        return {
          name: `${basename(path, '.yaml')} ${index + 1}`,
          object: {
            apiVersion: 'agentgateway.dev/v1alpha1',
            kind,
            metadata: { name: `document-${index + 1}`, namespace: 'default' },
            ...object,
          },
          rejection,
        }
      }),
    )

/** The objects of a kind that golden cases of fields translate: what the API server rejects is nobody's policy. */
export const goldenFieldsOf = (kind: string): readonly SchemaDocument[] =>
  globSync('*-{fields,fields-*,of-selected-objects}/in.yaml', { cwd: goldens })
    .sort()
    .flatMap((path) =>
      parseAllDocuments(readFileSync(join(goldens, path), 'utf8'))
        .map((document) => document.toJS() as { readonly kind: string; readonly metadata: object })
        .filter((object) => object.kind === kind)
        .map(({ metadata, ...rest }, index) => ({
          name: `golden ${dirname(path)} ${index + 1}`,
          object: {
            apiVersion: 'agentgateway.dev/v1alpha1',
            ...rest,
            metadata: { ...metadata, namespace: 'default' },
          },
          rejection: undefined,
        })),
    )
